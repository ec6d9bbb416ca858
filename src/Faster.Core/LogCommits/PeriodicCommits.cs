using System.Diagnostics;
using Faster.Commits;
using Faster.Compaction;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>
/// Commits periodically, so that no more than a given time, or number of bytes of the log, is ever at risk
/// (<see cref="CommittingStoreOptions.CommitEvery"/>, <see cref="LogStoreOptions.CommitEveryBytes"/>).
/// </summary>
/// <remarks>
/// One task, which waits with its thread: a timer would need one of the shared pool. A commit that fails, for whatever
/// reason, is reported and tried again later (<see cref="RetryDelay"/>). A failed sync poisons the store; then no more
/// commits are tried.
/// </remarks>
internal sealed class PeriodicCommits(Tier tier, CommitCoordinator coordinator)
    : IDisposable
{
    private static readonly TimeSpan ByteTick = TimeSpan.FromMilliseconds(5); // how often the log's growth is checked

    private readonly RetryDelay _retry = new(TimeSpan.FromMilliseconds(100));

    private readonly CancellationTokenSource _stop = new();
    private Task _loop = Task.CompletedTask;

    /// <summary>Whether the options ask for periodic commits.</summary>
    public static bool AreWanted(StoreOptions options) =>
        options.CommitEvery > TimeSpan.Zero || options.CommitEveryBytes.Bytes > 0;

    /// <summary>Starts the task.</summary>
    public void Start() => _loop = BackgroundTasks.Run(Run);

    /// <summary>Stops the task, and waits for it; a commit under way goes on.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        _loop.Wait();
        _stop.Dispose();
    }

    private void Run()
    {
        TimeSpan every = tier.Core.Options.CommitEvery;
        long bytes = tier.Core.Options.CommitEveryBytes.Bytes;
        long tail = tier.Log.TailAddress, since = Stopwatch.GetTimestamp();
        TimeSpan period = bytes == 0 || (every > TimeSpan.Zero && every < ByteTick) ? every : ByteTick, wait = period;
        while (!_stop.Token.WaitHandle.WaitOne(wait))
        {
            long tick = Stopwatch.GetTimestamp();
            bool isTime = every > TimeSpan.Zero && Stopwatch.GetElapsedTime(since) + (period / 2) >= every;
            bool isMuch = bytes != 0 && tier.Log.TailAddress - tail >= bytes;
            if ((isTime && coordinator.HasWork) || isMuch)
            {
                long to = tier.Log.TailAddress;
                since = tick;
                if (TryCommit())
                {
                    tail = to;
                    _retry.Reset();
                }
                else if (tier.Core.Commits.Current.IsPoisoned || _stop.Token.WaitHandle.WaitOne(_retry.Next()))
                {
                    return;
                }
            }

            TimeSpan left = period - Stopwatch.GetElapsedTime(tick);
            wait = left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    // The coordinator has reported the failure, of whatever type it is: a caller has no other way to learn of it.
    private bool TryCommit()
    {
        try
        {
            coordinator.RequestAsync(tier.Core.Options.CommitKind, withIndex: false).Wait(_stop.Token);
            return true;
        }
        catch (Exception)
        {
            return false;
        }
    }
}
