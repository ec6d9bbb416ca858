using System.Diagnostics;
using Faster.Contracts;
using Faster.Engines.HotRing;
using Xunit.Abstractions;
using static Faster.Tests.Engines.HotRing.RingCalls;

namespace Faster.Tests.Engines.HotRing.Rehash;

/// <summary>Whatever operations meet long rings, and however few of them a session has: the index grows.</summary>
public sealed class RingGrowthTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(1_000_000)]
    public void A_load_by_insertions_alone_takes_time_in_proportion_to_its_keys(int perSession)
    {
        const int Count = 200_000;
        using var store = new HotRingStore(new HotRingOptions(), Schema);
        InSessions(store, Count, perSession, static (session, key) => Assert.Equal(Status.Ok, Put(session, key)));
        HotRingStatistics after = store.Statistics;
        output.WriteLine($"{after.Buckets:N0} rings, {after.AccessesPerOperation:0.0} accesses");
        Assert.InRange(after.Buckets, Count / 4, 2 * Count);
        Assert.InRange(after.AccessesPerOperation, 1, 4);
        Assert.Equal(Count, after.Records);
        Assert.Null(after.LastFault);
    }

    [Fact]
    public void A_million_keys_are_loaded_into_a_store_of_default_options()
    {
        const int Count = 1_000_000;
        using var store = new HotRingStore(new HotRingOptions(), Schema);
        using HotRingSession session = store.StartSession();
        var watch = Stopwatch.StartNew();
        for (long key = 0; key < Count; key++) Assert.Equal(Status.Ok, Put(session, key));
        HotRingStatistics after = store.Statistics;
        output.WriteLine(
            $"{Count:N0} keys in {watch.ElapsedMilliseconds:N0} ms: {after.Buckets:N0} rings, "
            + $"{after.Rehashes} rehashes, {after.AccessesPerOperation:0.0} accesses an operation");
        // The thread that doubles the index may lag behind, but not for long: the longer rings become, the less is put.
        Assert.InRange(after.AccessesPerOperation, 1, 100);
        Assert.Equal(Count, after.Records);
        Assert.Null(after.LastFault);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(1_000_000)]
    public void Reads_of_sessions_of_any_length_move_heads_and_grow_the_index(int perSession)
    {
        const int Count = 2000;
        using HotRingStore store = Small(Count);
        long before = store.Statistics.Buckets;
        var random = new Random(1);
        InSessions(store, 100_000, perSession, (session, _) =>
        {
            long key = (long)Math.Pow(Count, random.NextDouble()) - 1;
            Assert.Equal(Status.Ok, Get(session, key));
        });
        HotRingStatistics after = store.Statistics;
        output.WriteLine(
            $"{before} rings, then {after.Buckets}; {after.HeadMoves} moves in {after.SamplingRounds} rounds");
        Assert.InRange(after.Buckets, Count / 8, 4 * Count);
        Assert.InRange(after.HeadMoves, 50, long.MaxValue);
    }

    [Fact]
    public void Many_sessions_of_which_each_does_little_grow_the_index_together()
    {
        const int Sessions = 500, Count = 20_000;
        using var store = new HotRingStore(new HotRingOptions { MemoryBudget = ByteSize.MiB(256) }, Schema);
        HotRingSession[] sessions = [.. Enumerable.Range(0, Sessions).Select(_ => store.StartSession())];
        for (long key = 0; key < Count; key++)
        {
            Assert.Equal(Status.Ok, Put(sessions[key % Sessions], key));
            WaitForRehash(store);
        }

        HotRingStatistics after = store.Statistics;
        Assert.InRange(after.Buckets, Count / 16, 2 * Count);
        foreach (HotRingSession session in sessions) session.Dispose();
    }

    [Fact]
    public async Task Threads_that_work_while_the_index_grows_in_parts_lose_nothing()
    {
        const int Threads = 4, Each = 50_000;
        using var store = new HotRingStore(new HotRingOptions(), Schema);
        void Work(int thread)
        {
            using HotRingSession session = store.StartSession();
            for (long key = thread; key < Each * Threads; key += Threads)
            {
                Assert.Equal(Status.Ok, Put(session, key));
                long before = Math.Max(thread, key - (Threads * 100)); // of rings that were split meanwhile, perhaps
                bool isRemoved = before % 3 == 0 && before < key - Threads;
                Assert.Equal(isRemoved ? Status.NotFound : Status.Ok, Get(session, before));
                long last = key - Threads;
                if (last >= 0 && last % 3 == 0) Assert.Equal(Status.Ok, Remove(session, last));
            }
        }

        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(() => Work(thread))));
        WaitForRehash(store);
        Assert.InRange(store.Statistics.Buckets, 1 << 12, 1 << 19); // above 1,024 rings it grows in parts
        List<long> keys = RingCheck.Keys(store);
        long last = (Each - 1) * Threads;
        Assert.Equal(
            Enumerable.Range(0, Each * Threads).Select(key => (long)key).Where(key => key % 3 != 0 || key >= last),
            keys.Order());
        Assert.Equal(keys.Count, store.Statistics.Records);
        Assert.Null(store.Statistics.LastFault);
    }

    [Fact]
    public void Reads_of_absent_keys_grow_the_index() =>
        Grows(static (session, key) => Assert.Equal(Status.NotFound, Get(session, -1 - key)));

    [Fact]
    public void Deletions_of_absent_keys_grow_the_index() =>
        Grows(static (session, key) => Assert.Equal(Status.NotFound, Remove(session, -1 - key)));

    [Fact]
    public void Deletions_and_insertions_grow_the_index() => Grows(static (session, key) =>
    {
        Assert.Equal(Status.Ok, Remove(session, key % 500));
        Assert.Equal(Status.Ok, Put(session, key % 500));
    });

    // Of rings that no operation so far has shown to be long.
    private static void Grows(Action<HotRingSession, long> step)
    {
        using HotRingStore store = Small(500);
        InSessions(store, 50_000, 1_000_000, step);
        Assert.InRange(store.Statistics.Buckets, 128, 4096);
    }

    // A store of 16 rings with keys, whose insertion is not counted.
    private static HotRingStore Small(int keys)
    {
        var store = new HotRingStore(new HotRingOptions { Buckets = 16 }, Schema);
        using HotRingSession session = store.StartSession();
        for (long key = 0; key < keys; key++)
        {
            Assert.Equal(Status.Ok, Put(session, key));
            store.Accesses.Restart();
        }

        return store;
    }

    // The index is doubled in the background: waits for it, so that the result does not depend on the time it takes.
    private static void InSessions(HotRingStore store, long count, int perSession, Action<HotRingSession, long> step)
    {
        for (long done = 0; done < count;)
        {
            using HotRingSession session = store.StartSession();
            for (int i = 0; i < perSession && done < count; i++, done++)
            {
                step(session, done);
                WaitForRehash(store);
            }
        }
    }
}
