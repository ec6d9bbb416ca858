using Faster.Contracts;
using Faster.Engines.HotRing;
using static Faster.Tests.Engines.HotRing.RingCalls;

namespace Faster.Tests.Engines.HotRing.Rehash;

/// <summary>What a rehash takes of the budget, and what happens when it gets no memory or no thread.</summary>
public sealed class RehashMemoryTests
{
    [Fact]
    public void The_index_reaches_half_of_the_budget_and_then_tells_that_it_is_at_its_limit()
    {
        using HotRingStore store = Open(keys: 1500, maxAccesses: 2);
        using HotRingSession session = store.StartSession();
        Read(store, session, until: () => store.Statistics.IndexAtLimit);
        HotRingStatistics now = store.Statistics;
        Assert.Equal(ByteSize.KiB(512), now.IndexMemory);
        Assert.Equal(ByteSize.MiB(1).Bytes, now.IndexMemory.Bytes + now.RecordMemory.Bytes + now.FreeMemory.Bytes);
    }

    [Fact]
    public async Task Insertions_wait_while_the_index_is_doubled_and_fail_at_the_limit_of_the_budget()
    {
        using HotRingStore store = Open(keys: 0, buckets: 16_384);
        Assert.True(store.TryBeginRehash());
        long lower = store.Arena.Limit;
        using HotRingSession session = store.StartSession();
        void Fill()
        {
            for (long key = 0; ; key++) _ = Put(session, key);
        }

        Task<LimitExceededException> full = Task.Run(() => Assert.Throws<LimitExceededException>(Fill));
        while (!full.IsCompleted && !Waits(session)) await Task.Yield();
        Assert.False(full.IsCompleted, "An insertion failed, although the index will give memory back");
        Assert.InRange(store.Arena.BytesTaken, 0, lower);
        store.Rehash();
        LimitExceededException refused = await full;
        Assert.InRange(store.Arena.BytesTaken, lower + 1, store.Arena.Limit);
        Assert.Contains($"memory of {new ByteSize(store.Arena.Limit)}", refused.Message, StringComparison.Ordinal);
        Assert.Contains($"HotRingOptions.MemoryBudget of {ByteSize.MiB(1)}", refused.Message, StringComparison.Ordinal);
        Assert.Null(store.Statistics.LastFault);
    }

    [Fact]
    public void Without_a_thread_the_index_stays_and_grows_when_there_is_one()
    {
        HotRingStore store = Open(keys: 1500);
        HotRingSession session = store.StartSession();
        int refused = 0;
        Action<Thread> start = store.StartThread;
        store.StartThread = _ =>
        {
            refused++;
            throw new InsufficientMemoryException("no thread");
        };
        Read(store, session, until: () => refused > 2);
        Assert.Equal(16, store.Statistics.Buckets);
        Assert.False(store.Statistics.IsRehashing);
        var fault = Assert.IsType<LimitExceededException>(store.Statistics.LastFault);
        Assert.Equal("no thread", fault.InnerException!.Message);

        store.StartThread = start;
        Read(store, session, until: () => store.Statistics.Buckets > 256);

        store.StartThread = static _ => throw new InsufficientMemoryException("no thread");
        session.Dispose();
        store.Dispose();
        Assert.Same(fault, store.LastFault); // what closes the index and the memory has not failed
    }

    // A call that waits is counted.
    private static unsafe bool Waits(HotRingSession session) => Volatile.Read(ref session.Slot->Calls) != 0;

    // Opens a store of 1 MiB.
    private static HotRingStore Open(int keys, double maxAccesses = 2.5, long buckets = 16)
    {
        var store = new HotRingStore(
            new HotRingOptions { MemoryBudget = ByteSize.MiB(1), Buckets = buckets, MaxAccesses = maxAccesses },
            Schema);
        using HotRingSession session = store.StartSession();
        for (long key = 0; key < keys; key++)
        {
            Assert.Equal(Status.Ok, Put(session, key));
            store.Accesses.Restart();
        }

        return store;
    }

    private static void Read(HotRingStore store, HotRingSession session, Func<bool> until)
    {
        for (long i = 0; !until(); i++)
        {
            Assert.True(i < 20_000, $"What is waited for does not come: {store.Statistics}");
            for (long key = 0; key < 1500; key++) Assert.Equal(Status.Ok, Get(session, key));
            WaitForRehash(store);
        }
    }
}
