using System.Diagnostics;
using Faster.Commits;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Operations.Waiting;
using Faster.Probes;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Operations.Waiting;

/// <summary>Operations and batches that a commit blocks wait for as long as it takes, at little cost.</summary>
public sealed class HeldUpTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly Counting _count = new();

    public HeldUpTests() => Probe.Current = _count;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task Operations_that_wait_for_a_bucket_are_tried_again_when_it_is_free() => Guard.RunAsync(async () =>
    {
        // As many as the memory for what waits lets a session begin without ending others, which are held here.
        const int Pending = 20, Parked = 20, Apart = 200;
        var reads = new HeldReads(new MemoryDevice());
        await using FasterStore store = await FasterStore.OpenAsync(
            _folder.Path,
            new StoreOptions { MemoryBudget = ByteSize.MiB(1), Device = reads, ReadCacheFraction = 0 },
            Schema, default);
        using FasterSession session = store.StartSession(), other = store.StartSession();
        for (long key = 0; key < 60_000; key++) session.Put(key, 1);
        _ = await store.CommitAsync();
        reads.Hold(long.MaxValue);
        for (int i = 0; i < Pending; i++)
        {
            var add = new Add(1, null);
            Assert.Equal(Status.Pending, session.Rmw(Key(i * Apart), ref add));
        }

        Task<Commit> commit = store.CommitAsync();
        await UntilAsync(() => store.Commits.Current.Phase == CommitPhase.WaitPending);
        const long Last = (Pending - 1) * Apart; // what is read last
        for (int i = 0; i < Parked; i++)
        {
            var put = new Upsert(i);
            Assert.Equal(Status.Pending, other.Upsert(Key(Last), ref put));
        }

        long version = store.Commits.Current.Version, before = _count.Looks;
        while (store.Commits.PendingOf(version) is var left and not 0)
        {
            await UntilAsync(() => reads.Count != 0);
            int held = reads.Count;
            reads.ReleaseOne(); // an operation ends, or reads another record of its chain
            await UntilAsync(() => store.Commits.PendingOf(version) < left || reads.Count >= held);
        }

        reads.Release();
        _ = await commit;
        other.CompletePending(wait: true);
        session.CompletePending(wait: true);
        long looks = _count.Looks - before;
        Assert.Equal(Parked - 1, other.Get(Last));
        Assert.True(looks < 4 * (Pending + Parked), $"{looks} attempts for {Pending} + {Parked} operations.");
    });

    [Fact]
    public void A_pending_operation_holds_up_the_next_version_in_its_bucket_and_not_itself()
    {
        var commits = new CommitState(version: 5, PendingOrder.Strict, stripes: 64);
        Assert.True(commits.TryAddPending(hash: 1, version: 5));
        Assert.False(commits.IsHeldUp(hash: 1, version: 6));
        commits.Publish(new SystemState(CommitPhase.WaitPending, 5));
        Assert.False(commits.IsHeldUp(hash: 1, version: 5));
        Assert.False(commits.IsHeldUp(hash: 2, version: 6));
        Assert.True(commits.IsHeldUp(hash: 1, version: 6));
        bool resumed = false;
        commits.Gate.ParkUntil(() => !commits.IsHeldUp(1, 6), () => resumed = true);
        Assert.True(commits.TryAddPending(hash: 2, version: 5));
        commits.Gate.Signal();
        Assert.False(resumed);
        commits.RemovePending(hash: 1, version: 5); // the last one of the bucket, not of all
        Assert.True(resumed);
    }

    [Fact]
    public Task A_batch_waits_for_one_that_holds_a_commit_up_and_the_store_tells() => Guard.RunAsync(async () =>
    {
        var clock = new ManualTime();
        await using FasterStore store = await FasterStore.OpenAsync(
            _folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(1), TimeProvider = clock }, Schema, default);
        using FasterSession one = store.StartSession("one"), two = store.StartSession("two");
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
        long before = _count.Waits, since = Stopwatch.GetTimestamp();
        Task second = Task.Run(() => RunUnit(two, static () => { }));
        await UntilAsync(() => _count.Waits != before);
        await UntilAsync(() =>
        {
            clock.Advance((long)StreamingReads.StallTimeout.TotalMilliseconds + 1);
            return store.Statistics.LastFault is not null;
        });

        string told = Errors.Is(ErrorReason.CommitDelayed, store.Statistics.LastFault).Message;
        Assert.Contains("of session 'one', after operation 1:", told, StringComparison.Ordinal);
        for (int i = 0; i < 100; i++) await Task.Yield(); // so long a waiter that spins would have looked often

        // Once at first, once when Prepare is signaled to the waiters, and then once a second.
        long looks = _count.Waits - before;
        double most = 2 + Stopwatch.GetElapsedTime(since).TotalSeconds;
        Assert.True(looks <= most, $"It has looked {looks} times; at most {most:0.0} were due.");
        Assert.False(commit.IsCompleted);
        go.Set();
        await Task.WhenAll(first, second, commit);
        Assert.Equal(8, (await one.CommitAsync()).SerialNumber);
        Assert.Equal(7, two.LastCommit.SerialNumber);
    });

    private static void RunUnit(FasterSession session, Action beforeFirstKey)
    {
        var batch = new HeldBatch { BeforeFirstKey = beforeFirstKey };
        session.ReadBatch<UnmanagedKey<long>, Read, HeldBatch>(ref batch, session.SerialNumber + 7);
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        long start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < TestBudget.StallTimeout, "It does not come to that.");
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

    /// <summary>Counts waits, and looks at a commit's phase: one for each attempt.</summary>
    private sealed class Counting : IProbe
    {
        private long _waits, _looks;

        public long Waits => Volatile.Read(ref _waits);

        public long Looks => Volatile.Read(ref _looks);

        public void Point(ProbePoint point)
        {
            if (point == ProbePoint.CommitPhase) Interlocked.Increment(ref _looks);
            if (point == ProbePoint.Wait) Interlocked.Increment(ref _waits);
        }
    }
}
