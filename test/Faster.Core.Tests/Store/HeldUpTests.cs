using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Tests.Devices;
using Faster.Tests.Faults;
using static Faster.Tests.Store.CounterOperations;

namespace Faster.Tests.Store;

/// <summary>Batches that a commit holds up wait for as long as it takes, at little cost.</summary>
public sealed class HeldUpTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task A_batch_waits_for_one_that_holds_a_commit_up_and_the_store_tells() => Guard.RunAsync(async () =>
    {
        var clock = new ManualTime();
        await using FasterStore<Count> store = await FasterStore<Count>.OpenAsync(
            _folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(1), TimeProvider = clock }, Schema, default);
        using FasterSession<Count> one = store.StartSession("one"), two = store.StartSession("two");
        one.AddTo(1, 1);
        using ManualResetEventSlim begun = new(), go = new();
        Task first = Task.Run(() => RunUnit(one, () =>
        {
            begun.Set();
            go.Wait();
        }));
        begun.Wait();
        Task<Commit> commit = store.CommitAsync();
        await UntilAsync(() => store.Commits.Current.Phase == CommitPhase.Prepare);
        long before = Count.Waits;
        Task second = Task.Run(() => RunUnit(two, static () => { }));
        await UntilAsync(() => Count.Waits != before);
        await UntilAsync(() =>
        {
            clock.Advance((long)StreamingReads.Patience.TotalMilliseconds + 1);
            return store.Statistics.LastFault is not null;
        });

        var told = Assert.IsType<CommitDelayedException>(store.Statistics.LastFault);
        Assert.Equal(("one", 1), (told.SessionName, told.SerialNumber));
        before = Count.Waits; // each look at the clock may have let it look, too
        for (int i = 0; i < 100; i++) await Task.Yield(); // so long a waiter that spins would have looked often
        Assert.True(Count.Waits - before < 4, $"It has looked {Count.Waits - before} times.");
        Assert.False(commit.IsCompleted);
        go.Set();
        await Task.WhenAll(first, second, commit);
        Assert.Equal(8, (await one.CommitAsync()).SerialNumber);
        Assert.Equal(7, two.LastCommit.SerialNumber);
    });

    private static void RunUnit(FasterSession<Count> session, Action beforeFirstKey)
    {
        var batch = new HeldBatch { BeforeFirstKey = beforeFirstKey };
        session.ReadBatch<UnmanagedKey<long>, Read, HeldBatch>(ref batch, session.SerialNumber + 7);
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        long start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < TestBudget.Patience, "It does not come to that.");
            await Task.Yield();
        }
    }

    // Keys are asked for inside the batch, and outside every epoch.
    private struct HeldBatch : IBatch<UnmanagedKey<long>, Read>
    {
        public Action? BeforeFirstKey;

        public readonly int Count => 1;

        public UnmanagedKey<long> GetKey(int index)
        {
            BeforeFirstKey?.Invoke();
            BeforeFirstKey = null;
            return Key(1);
        }

        public readonly Read GetOperation(int index) => new(null);

        public readonly void SetResult(int index, Status status, ref Read operation) { }
    }

    /// <summary>Counts waits.</summary>
    private readonly struct Count : IProbe
    {
        private static long _waits;

        public static long Waits => Volatile.Read(ref _waits);

        public static void Point(ProbePoint point)
        {
            if (point == ProbePoint.Wait) Interlocked.Increment(ref _waits);
        }

        public static bool Has(SeededBug bug) => false;
    }
}
