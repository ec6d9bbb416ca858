using Faster.Compaction;
using Faster.Compaction.Expiry;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Faults;

namespace Faster.Tests.Compaction.Expiry;

/// <summary>Closing a store does not wait for what its search for expired records has begun.</summary>
public sealed class ExpiredLogCompactorClosingTests
{
    private const long Keys = 60_000;

    private readonly StillTime _time = new();

    [Fact]
    public Task It_ends_while_its_commit_is_under_way() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(new MemoryDevice());
        using FasterSession session = store.StartSession();
        session.Fill(0, Keys);
        _time.Advance(11_000);
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var commit = new TaskCompletionSource();
        ExpiredLogCompactor compactor = Keeper(store, () =>
        {
            asked.SetResult();
            return commit.Task;
        });
        compactor.Start();
        await asked.Task;
        await Guard.RunAsync(compactor.Dispose);
        Assert.True(store.Statistics.BytesReclaimed > 0);
        Assert.Null(store.Statistics.LastFault);
    });

    [Fact]
    public Task It_reads_no_more_of_the_log() => Guard.RunAsync(async () =>
    {
        var device = new HeldReads(new MemoryDevice());
        await using FasterStore store = await OpenAsync(device);
        using FasterSession session = store.StartSession();
        session.Fill(0, Keys);
        long pages = (store.Statistics.HeadAddress - store.Statistics.BeginAddress) / store.Options.PageSize.Bytes;
        Assert.True(pages > 64, $"Only {pages} pages are on disk: a part of them is one.");
        long before = store.Tier.Storage!.Reads;
        device.Hold(end: long.MaxValue); // only the keeper reads
        ExpiredLogCompactor compactor = Keeper(store, Compactor.NoCommit);
        compactor.Start();
        await device.HoldOneAsync();
        compactor.Stop();
        Task closing = Guard.RunAsync(compactor.Dispose);
        device.Release();
        await closing;
        Assert.Equal(before + 1, store.Tier.Storage!.Reads);
    });

    private static ExpiredLogCompactor Keeper(FasterStore store, Func<Task> commit) =>
        new(store.Tier, store.Reclamation!.Truncation) { Commit = commit };

    private static async Task Until(Func<bool> condition)
    {
        while (!condition()) await Task.Yield();
    }

    // The store's own compactor has checked once, and waits permanently.
    private async Task<FasterStore> OpenAsync(Device device)
    {
        FasterStore store = await GarbageStore.OpenAsync(null, GarbageStore.Small with
        {
            Device = device, TimeProvider = _time, TimeToLive = TimeSpan.FromSeconds(10),
        });
        await Until(() => _time.Timers > 0);
        return store;
    }

    /// <summary>A time that is moved, but whose timers never go off.</summary>
    private sealed class StillTime : TimeProvider
    {
        private long _milliseconds;
        private int _timers;

        /// <summary>How many timers have been made.</summary>
        public int Timers => Volatile.Read(ref _timers);

        public void Advance(long milliseconds) => Interlocked.Add(ref _milliseconds, milliseconds);

        public override DateTimeOffset GetUtcNow() =>
            DateTimeOffset.UnixEpoch.AddYears(50).AddMilliseconds(Volatile.Read(ref _milliseconds));

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Interlocked.Increment(ref _timers);
            return new Timer();
        }

        private sealed class Timer : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => true;

            public void Dispose() { }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }
}
