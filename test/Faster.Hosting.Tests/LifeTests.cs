using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Faster.Hosting.Tests;

/// <summary>When stores are opened, committed and closed.</summary>
public sealed class LifeTests : IDisposable
{
    private readonly TestApplication _application = new();

    public void Dispose() => _application.Dispose();

    [Fact]
    public async Task Hosted_services_have_the_store_from_their_constructor_to_their_end()
    {
        for (int start = 0; start < 2; start++)
        {
            using IHost host = _application.Make<Words.Store>(
                "Words", static services => services.AddHostedService<Counter>());
            await host.StartAsync();
            Counter counter = host.Services.GetServices<IHostedService>().OfType<Counter>().Single();
            Assert.Equal(start * 2, counter.Before); // what its start and its end have added is recovered
            await host.StopAsync();
        }
    }

    [Fact]
    public async Task A_store_that_nothing_asks_for_is_opened_and_closed()
    {
        using IHost host = _application.Make<Words.Store>("Words");
        await host.StartAsync();
        string folder = Path.Combine(_application.Folder, "Words");
        var refused = await Assert.ThrowsAsync<StoreOpenException>(() => Words.OpenAsync(folder).AsTask());
        Assert.True(refused.MayRetry);
        await host.StopAsync();
        await using Words.Store again = await Words.OpenAsync(folder);
        string[] lines = [.. _application.Log.Lines];
        Assert.Contains(
            lines, line => line.StartsWith("Faster.Words Information Store Words is open", StringComparison.Ordinal));
        Assert.Equal("Faster.Words Information Store Words is closed", lines[^1]);
    }

    [Fact]
    public async Task The_start_waits_for_the_process_that_has_the_folder()
    {
        using IHost old = _application.Make<Words.Store>("Words");
        await old.StartAsync();
        using IHost young = _application.Make<Words.Store>("Words");
        Task starting = young.StartAsync();
        await _application.Log.UntilAsync("waits up to");
        Assert.False(starting.IsCompleted);
        await old.StopAsync();
        await starting;
        await young.StopAsync();
    }

    [Fact]
    public async Task A_start_that_may_not_wait_fails_and_leaves_the_other_alone()
    {
        using IHost old = _application.Make<Words.Store>("Words");
        await old.StartAsync();
        _application.Configuration["Faster:Words:WaitForFolder"] = "00:00:00";
        using IHost young = _application.Make<Words.Store>("Words");
        await Assert.ThrowsAsync<StoreOpenException>(() => young.StartAsync());
        await using Words.Session session = old.Services.GetRequiredService<Words.Store>().StartSession();
        Assert.Equal(Status.Created, await session.RmwAsync("a", 1));
        await old.StopAsync();
    }

    [Fact]
    public async Task A_reload_of_the_configuration_changes_nothing_and_is_logged()
    {
        using IHost host = _application.Make<Words.Store>("Words");
        await host.StartAsync();
        var configuration = (IConfigurationRoot)host.Services.GetRequiredService<IConfiguration>();
        configuration.Reload();
        Assert.DoesNotContain(
            _application.Log.Lines, static line => line.Contains("has changed", StringComparison.Ordinal));
        configuration["Faster:Words:MemoryBudget"] = "128 MiB";
        configuration.Reload();
        await _application.Log.UntilAsync("The configuration of store Words has changed");
        Assert.Equal(ByteSize.MiB(64), host.Services.GetRequiredService<Words.Store>().Options.MemoryBudget);
        await host.StopAsync();
    }

    [Fact]
    public async Task A_container_without_a_host_opens_the_store_when_it_is_asked_for()
    {
        string folder = Path.Combine(_application.Folder, "w");
        var services = new ServiceCollection();
        services.AddFaster<Words.Store>(settings => settings.Path = folder);
        await using (ServiceProvider provider = services.BuildServiceProvider())
        {
            await using AsyncServiceScope scope = provider.CreateAsyncScope();
            await scope.ServiceProvider.GetRequiredService<Words.Session>().RmwAsync("a", 5);
        }

        await using Words.Store again = await Words.OpenAsync(folder);
        await using Words.Session session = again.StartSession();
        Assert.Equal(5, (await session.ReadAsync("a")).Value);
    }

    private sealed class Counter(Words.Store store) : IHostedService
    {
        public long Before { get; private set; }

        public async Task StartAsync(CancellationToken cancellationToken)
        {
            await using Words.Session session = store.StartSession();
            Before = (await session.ReadAsync("count", cancellationToken)).Value;
            await session.RmwAsync("count", 1, cancellationToken);
        }

        public async Task StopAsync(CancellationToken cancellationToken)
        {
            await using Words.Session session = store.StartSession();
            await session.RmwAsync("count", 1, cancellationToken);
        }
    }
}
