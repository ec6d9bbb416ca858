using System.Diagnostics;
using Faster.Commits;
using Faster.Contracts;

namespace Faster;

/// <summary>
/// Commits by itself, so that no more than a time, or a number of bytes of the log, is ever at risk
/// (<see cref="StoreOptions.CommitEvery"/>, <see cref="StoreOptions.CommitEveryBytes"/>).
/// </summary>
/// <remarks>
/// One task. A commit that fails, however, is reported, and tried again after a pause; only after a failed sync, which
/// poisons the store, none is any more.
/// </remarks>
internal sealed class PeriodicCommits<TProbe>(FasterStore<TProbe> store, CommitCoordinator<TProbe> coordinator)
    : IDisposable
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan ByteTick = TimeSpan.FromMilliseconds(5); // how often the log's growth is looked at

    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(100);

    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;

    /// <summary>Whether the options ask for commits.</summary>
    public static bool AreWanted(StoreOptions options) =>
        options.CommitEvery > TimeSpan.Zero || options.CommitEveryBytes.Bytes > 0;

    /// <summary>Begins.</summary>
    public void Start() => _loop = Task.Run(RunAsync);

    /// <summary>Ends; a commit under way goes on.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        _loop.Wait();
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        TimeSpan every = store.Options.CommitEvery;
        long bytes = store.Options.CommitEveryBytes.Bytes;
        long tail = store.Log.TailAddress, since = Stopwatch.GetTimestamp();
        using var timer = new PeriodicTimer(
            bytes == 0 || (every > TimeSpan.Zero && every < ByteTick) ? every : ByteTick);
        while (await NextTickAsync(timer).ConfigureAwait(false))
        {
            bool isTime = every > TimeSpan.Zero && Stopwatch.GetElapsedTime(since) + (timer.Period / 2) >= every;
            bool isMuch = bytes != 0 && store.Log.TailAddress - tail >= bytes;
            if (!(isTime && coordinator.HasWork) && !isMuch) continue;
            long to = store.Log.TailAddress;
            since = Stopwatch.GetTimestamp();
            if (await TryCommitAsync().ConfigureAwait(false)) tail = to;
            else if (store.Commits.Current.IsPoisoned) return;
            else await Task.Delay(RetryPause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // What fails the coordinator has reported, of whatever type it is: who waits for the commits has no other way.
    private async Task<bool> TryCommitAsync()
    {
        try
        {
            await coordinator.RequestAsync(store.Options.CommitKind, withIndex: false)
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
