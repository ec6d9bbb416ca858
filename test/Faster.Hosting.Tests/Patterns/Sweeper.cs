using Microsoft.Extensions.Hosting;

namespace Faster.Hosting.Tests.Patterns;

/// <summary>A background service, as the guide shows it.</summary>
public sealed class Sweeper(Words.Store store) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMinutes(1));
        do
        {
            await using Words.Session session = store.StartSession();
            await session.RmwAsync("sweeps", 1, stoppingToken);
        }
        while (await timer.WaitForNextTickAsync(stoppingToken));
    }
}
