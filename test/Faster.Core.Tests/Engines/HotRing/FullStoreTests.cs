using Faster.Contracts;
using Faster.Engines.HotRing;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines.HotRing;

/// <summary>A store that is full, or was: what is freed makes space for values of any size.</summary>
public sealed class FullStoreTests
{
    [Fact]
    public Task Deleted_values_make_space_for_values_of_any_other_size() => Guard.RunAsync(() =>
    {
        using HotRingStore store = Open(4);
        using HotRingSession session = store.StartSession();
        int last = 100;
        foreach (int length in new[] { 116, 1000, 64 << 10, 60, 100 })
        {
            int before = Fill(session, last);
            for (int key = 0; key < before; key++) Assert.Equal(Status.Ok, Remove(session, key));
            using HotRingStore fresh = Open(4);
            using HotRingSession other = fresh.StartSession();
            int expected = Fill(other, length);
            Assert.InRange(Fill(session, length), expected * 99 / 100, expected);
            for (int key = 0; Remove(session, key) == Status.Ok; key++) { }
            last = length;
        }

        store.Arena.WaitForSpace();
        store.Arena.Walk(static (_, _) => { });
        Assert.Equal(0, store.Arena.BytesTaken);
    });

    [Fact]
    public Task Values_that_grow_a_little_each_round_use_their_space_again() => Guard.RunAsync(() =>
    {
        using HotRingStore store = Open(8);
        using HotRingSession session = store.StartSession();
        for (int round = 0; round < 40; round++)
            for (int key = 0; key < 12_000; key++) Put(session, key, 40 + (round * 6));
    });

    [Fact]
    public Task A_full_store_replaces_values_by_others_as_long_or_shorter() => Guard.RunAsync(() =>
    {
        const int Length = 1000;
        using HotRingStore store = Open(2);
        using HotRingSession session = store.StartSession(), idle = store.StartSession();
        var random = new Random(7);
        List<int> lengths = [];
        try
        {
            for (; ; lengths.Add(Length)) Put(lengths.Count % 2 == 0 ? session : idle, lengths.Count, Length);
        }
        catch (LimitExceededException)
        {
        }

        for (int i = 0; i < TestBudget.Times(20_000); i++)
        {
            int key = random.Next(lengths.Count);
            if (i % 50 == 0) lengths[key] -= Math.Min(lengths[key] - 1, random.Next(16));
            Put(session, key, lengths[key]);
            if (i % 20 == 0) TryPut(session, 1_000_000 + i, Length);
        }

        for (int key = 0; key < lengths.Count; key++) Assert.Equal(lengths[key], LengthOf(session, key));
    });

    [Fact]
    public Task Memory_that_idle_sessions_keep_is_used_by_others() => Guard.RunAsync(() =>
    {
        using HotRingStore store = Open(4);
        using HotRingSession session = store.StartSession();
        int fits = Fill(session, 400);
        HotRingSession[] idle = [.. Enumerable.Range(0, 1024).Select(_ => store.StartSession())];
        for (int key = 0; key < fits; key++) Assert.Equal(Status.Ok, Remove(idle[key % idle.Length], key));
        Assert.Equal(fits, Fill(session, 400));
        foreach (HotRingSession one in idle) one.Dispose();
    });

    [Fact]
    public Task A_session_with_one_record_takes_what_the_record_takes() => Guard.RunAsync(() =>
    {
        int sessions = TestBudget.Times(20_000);
        using HotRingStore store = Open(64);
        var open = new List<HotRingSession>();
        for (int i = 0; i < sessions; i++)
        {
            open.Add(store.StartSession());
            Put(open[i], i, 8);
        }

        Assert.Equal(sessions, store.Statistics.Records);
        Assert.InRange(store.Statistics.RecordMemory.Bytes, sessions * 40L, sessions * 41L);
        foreach (HotRingSession one in open) one.Dispose();
    });

    [Theory]
    [InlineData(16 << 10, false)]
    [InlineData(1000, false)]
    [InlineData(64 << 10, true)]
    public Task At_60_percent_live_churn_of_mixed_sizes_is_never_refused(int most, bool isLogarithmic) =>
        Guard.RunAsync(() =>
        {
            const int Threads = 4, MiB = 32;
            using HotRingStore store = Open(MiB);
            var clock = System.Diagnostics.Stopwatch.StartNew();
            var seconds = TimeSpan.FromSeconds(1) * TestBudget.Factor;
            Parallel.For(0, Threads, new ParallelOptions { MaxDegreeOfParallelism = Threads }, number =>
            {
                using HotRingSession session = store.StartSession();
                var random = new Random(number);
                var keys = new List<(long Key, int Length)>();
                long live = 0, key = (long)number << 40;
                for (int i = 0; i < 20_000 || clock.Elapsed < seconds; i++)
                {
                    int length = isLogarithmic
                        ? (int)Math.Exp(random.NextDouble() * Math.Log(most))
                        : random.Next(1, most);
                    for (; live + length > MiB * 629_145L / Threads; keys.RemoveAt(keys.Count - 1))
                    {
                        int at = random.Next(keys.Count);
                        Assert.Equal(Status.Ok, Remove(session, keys[at].Key));
                        live -= keys[at].Length;
                        keys[at] = keys[^1];
                    }

                    Put(session, ++key, length);
                    keys.Add((key, length));
                    live += length;
                }
            });
            store.Arena.WaitForSpace();
            store.Arena.Walk(static (_, _) => { });
            Assert.InRange(store.Arena.BytesTaken, MiB * 600_000L, store.Arena.Limit);
        });

    [Theory]
    [InlineData(long.MaxValue)]
    [InlineData(1L << 50)]
    public async Task A_budget_that_no_machine_has_is_refused_by_its_name(long bytes)
    {
        ArgumentOutOfRangeException refused = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await HotRingStore.OpenAsync(
                new HotRingOptions { MemoryBudget = new ByteSize(bytes) }, CounterOperations.Schema, default));
        Assert.Contains("HotRingOptions.MemoryBudget must be at most", refused.Message, StringComparison.Ordinal);
    }

    private static HotRingStore Open(int mebibytes) => new(
        new HotRingOptions
        {
            MemoryBudget = ByteSize.MiB(mebibytes), Buckets = mebibytes << 10, MaxAccesses = double.PositiveInfinity,
        },
        new RecordSchema(8, 8, 0, "key", "bytes"));

    private static int Fill(HotRingSession session, int length)
    {
        int keys = 0;
        while (TryPut(session, keys, length)) keys++;
        return keys;
    }

    private static bool TryPut(HotRingSession session, long key, int length)
    {
        try
        {
            Put(session, key, length);
            return true;
        }
        catch (LimitExceededException)
        {
            return false;
        }
    }

    private static void Put(HotRingSession session, long key, int length)
    {
        var upsert = new BytesOperations.Upsert(new byte[length]);
        _ = session.Upsert(CounterOperations.Key(key), ref upsert);
    }

    private static int LengthOf(HotRingSession session, long key)
    {
        var found = new BytesOperations.Found();
        var read = new BytesOperations.Read(found);
        Assert.Equal(Status.Ok, session.Read(CounterOperations.Key(key), ref read));
        return found.Value!.Length;
    }

    private static Status Remove(HotRingSession session, long key)
    {
        var remove = default(ProbedOperations.Remove<SwapShape>);
        return session.Delete(CounterOperations.Key(key), ref remove);
    }
}
