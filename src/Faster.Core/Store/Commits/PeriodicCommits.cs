using System.Diagnostics;
using Faster.Commits;
using Faster.Contracts;
using Faster.Tiers;

namespace Faster.Store.Commits;

/// <summary>
/// Commits periodically, so that no more than a given time, or number of bytes of the log, is ever at risk
/// (<see cref="StoreOptions.CommitEvery"/>, <see cref="StoreOptions.CommitEveryBytes"/>).
/// </summary>
/// <remarks>
/// One task. A commit that fails, for whatever reason, is reported and tried again after a pause. A failed sync poisons
/// the store; then no more commits are tried.
/// </remarks>
internal sealed class PeriodicCommits<TProbe>(Tier<TProbe> tier, CommitCoordinator<TProbe> coordinator)
    : IDisposable
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan ByteTick = TimeSpan.FromMilliseconds(5); // how often the log's growth is checked

    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(100);

    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;

    /// <summary>Whether the options ask for periodic commits.</summary>
    public static bool AreWanted(StoreOptions options) =>
        options.CommitEvery > TimeSpan.Zero || options.CommitEveryBytes.Bytes > 0;

    /// <summary>Starts the task.</summary>
    public void Start() => _loop = Task.Run(RunAsync);

    /// <summary>Stops the task, and waits for it; a commit under way goes on.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        _loop.Wait();
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        TimeSpan every = tier.Core.Options.CommitEvery;
        long bytes = tier.Core.Options.CommitEveryBytes.Bytes;
        long tail = tier.Log.TailAddress, since = Stopwatch.GetTimestamp();
        using var timer = new PeriodicTimer(
            bytes == 0 || (every > TimeSpan.Zero && every < ByteTick) ? every : ByteTick);
        while (await NextTickAsync(timer).ConfigureAwait(false))
        {
            bool isTime = every > TimeSpan.Zero && Stopwatch.GetElapsedTime(since) + (timer.Period / 2) >= every;
            bool isMuch = bytes != 0 && tier.Log.TailAddress - tail >= bytes;
            if (!(isTime && coordinator.HasWork) && !isMuch) continue;
            long to = tier.Log.TailAddress;
            since = Stopwatch.GetTimestamp();
            if (await TryCommitAsync().ConfigureAwait(false)) tail = to;
            else if (tier.Core.Commits.Current.IsPoisoned) return;
            else await Task.Delay(RetryPause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // The coordinator has reported the failure, of whatever type it is: a caller has no other way to learn of it.
    private async Task<bool> TryCommitAsync()
    {
        try
        {
            await coordinator.RequestAsync(tier.Core.Options.CommitKind, withIndex: false)
                .WaitAsync(_stop.Token).ConfigureAwait(false);
            return true;
        }
        catch (Exception)
        {
            return false;
        }
    }

    private async ValueTask<bool> NextTickAsync(PeriodicTimer timer)
    {
        try
        {
            return await timer.WaitForNextTickAsync(_stop.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}
