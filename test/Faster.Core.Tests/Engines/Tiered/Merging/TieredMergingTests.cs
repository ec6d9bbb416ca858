using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Merging;
using static Faster.Tests.Engines.Tiered.Merging.MergingTiers;

namespace Faster.Tests.Engines.Tiered.Merging;

/// <summary>
/// Tiered stores whose updates merge, compared with a dictionary while deltas become whole records and these move.
/// </summary>
public sealed class TieredMergingTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0, 1)]
    [InlineData(0.75, 3)]
    public Task Operations_scans_and_compactions_agree_with_a_dictionary(double cache, int threads) =>
        Guard.RunAsync(async () =>
        {
            const int Keys = 30_000;
            await using TieredStore store = await OpenAsync(
                null, Small with { ReadCacheFraction = cache, CompactionThreads = threads });
            using TieredSession session = store.StartSession();
            var model = new SortedDictionary<long, long?>();
            var random = new Random(4);
            for (int round = 0; round < TestBudget.Times(4); round++)
            {
                for (int i = 0; i < 20_000; i++) Step(session, model, random, Keys);
                if (round % 3 == 1) await CompactHotAsync(store, random.Next(2, 9));
                if (round % 3 == 2) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
                if (round % 2 == 0) AssertTotals(session, model, Keys);
                ByteSize table = round % 2 == 0 ? new ScanOptions().TableMemory : ByteSize.KiB(64);
                Assert.Equal(model, await store.LiveAsync(new ScanOptions { TableMemory = table }));
            }

            AssertTotals(session, model, Keys);
            AssertMoved(store);
            Assert.True(store.Cold.Log.BeginAddress > PagedLog.FirstAddress, "The cold log was compacted.");

            // Twice: the deltas become whole records at the tail, and these move.
            for (int i = 0; i < 2; i++) _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            _ = await store.CompactColdAsync(store.Cold.Log.TailAddress);
            AssertTotals(session, model, Keys);
            Assert.Equal(model, await store.LiveAsync());
        });

    [Fact]
    public Task Each_amount_counts_once_and_no_reader_sees_a_sum_fall() => Guard.RunAsync(async () =>
    {
        const int Threads = 2, Rounds = 3, Hot = 20, Cold = 30_000;
        int steps = TestBudget.Times(6_000);
        await using TieredStore store = await OpenAsync(
            null, Small with { HotLogSize = ByteSize.MiB(64), ReadCacheFraction = 0.3 });
        using TieredSession last = store.StartSession();
        for (long key = Hot; key < Cold; key++) last.Put(key, 1);
        long added = Cold - Hot;
        for (int round = 0; round < Rounds; round++)
        {
            await SendToDiskAsync(store, store.Hot);
            await SendToDiskAsync(store, store.Cold);
            bool isOver = false; // the number of steps has a limit: see CollapseTests
            Task<long>[] adders = [.. Enumerable.Range(round * Threads, Threads).Select(number => Task.Run(() =>
            {
                using TieredSession session = store.StartSession();
                var random = new Random(number);
                int i = 0;
                for (; i < steps || (i < 2 * steps && !Volatile.Read(ref isOver)); i++)
                    _ = session.Merge(random.Next(i % 3 == 0 ? Hot : Cold), 1);
                return (long)i;
            }))];
            Task all = Task.WhenAll(adders);
            Task reader = Task.Run(() => ReadWhile(() => !all.IsCompleted, store, Hot, Cold));
            for (int i = 0; i < 2; i++) _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
            Volatile.Write(ref isOver, true);
            await reader;
            added += (await Task.WhenAll(adders)).Sum();
        }

        Assert.Equal(added, last.Totals(Numbers(Cold)).Sum(static pair => pair.Value ?? 0));
        Assert.Equal(added, (await store.LiveAsync()).Values.Sum());
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        Assert.Equal(added, last.Totals(Numbers(Cold)).Sum(static pair => pair.Value ?? 0));
        AssertMoved(store);
    });

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public Task Compactions_commits_and_recoveries_by_turns(CommitKind kind) => Guard.RunAsync(async () =>
    {
        const int Keys = 16_000;
        var model = new SortedDictionary<long, long?>();
        var random = new Random((int)kind + 1);
        for (int life = 0; life < 2; life++)
        {
            await using TieredStore store = await OpenAsync(
                _folder.Path, Small with { CommitKind = kind, ReadCacheFraction = life == 1 ? 0.5 : 0 });
            using TieredSession session = store.StartSession("one");
            AssertTotals(session, model, Keys);
            Assert.Equal(model, await store.LiveAsync());
            List<(Commit Commit, SortedDictionary<long, long?> State)> states = [];
            for (int part = 0; part < 3; part++)
            {
                for (int i = 0; i < 12_000; i++) Step(session, model, random, Keys);
                Task<CompactionResult> compaction = CompactHotAsync(store, random.Next(2, 9));
                for (int i = 0; i < 2_000; i++) Step(session, model, random, Keys);
                var state = new SortedDictionary<long, long?>(model);
                states.Add((await store.CommitAsync(withIndex: part == 1), state));
                if (part == 1) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
                for (int i = 0; i < 2_000; i++) Step(session, model, random, Keys);
                _ = await compaction;
            }

            var committed = new SortedDictionary<long, long?>(model);
            states.Add((await store.CommitAsync(), committed));
            for (long key = 0; key < Keys; key++) _ = session.Merge(key, 1_000_000); // never committed
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            foreach ((Commit commit, SortedDictionary<long, long?> state) in states[^2..])
                Assert.Equal(state, await store.LiveAsync(new ScanOptions { AsOf = commit }));
            model = committed;
            AssertMoved(store);
        }
    });

    [Fact]
    public Task An_update_of_a_cold_record_reads_nothing() => Guard.RunAsync(async () =>
    {
        const int Keys = 10_000;
        await using TieredStore store = await OpenAsync(null, Small);
        using TieredSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        TieredStatistics before = store.Statistics;
        for (long key = 0; key < 1_000; key++) Assert.Equal(Status.Ok, session.Merge(key, 1));
        TieredStatistics after = store.Statistics;
        long reads = after.DiskReads + after.ColdIndexReads - before.DiskReads - before.ColdIndexReads;
        Assert.InRange(reads, 0, 50); // of background work
        Assert.InRange(after.DeltasAppended, 900, 1_000);
        for (long key = 0; key < 1_000; key++) Assert.Equal(key + 1, session.Total(key));

        // One record of each key is left: below, and nothing above.
        for (int i = 0; i < 2; i++) _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        Assert.InRange(store.Statistics.DeltasCollapsed, 900, 1_000);
        for (long key = 0; key < 1_000; key++) Assert.Equal(key + 1, session.Total(key));
    });

    [Fact]
    public Task A_key_with_many_deltas_above_a_cold_record_becomes_one_record() => Guard.RunAsync(async () =>
    {
        const int Parts = 12;
        await using TieredStore store = await OpenAsync(null, Small with { HotLogSize = ByteSize.MiB(64) });
        using TieredSession session = store.StartSession();
        for (long key = 0; key < 20; key++) session.Put(-1 - key, 100);
        await SendToDiskAsync(store, store.Hot);
        _ = await store.CompactHotAsync(store.Hot.Log.HeadAddress);
        await SendToDiskAsync(store, store.Cold);
        for (int part = 0; part < Parts; part++)
        {
            for (long key = 0; key < 20; key++) _ = session.Merge(-1 - key, 1);
            await SendToDiskAsync(store, store.Hot);
        }

        Assert.Equal(20 * Parts, store.Statistics.DeltasAppended);
        for (long key = 0; key < 20; key++) Assert.Equal(100 + Parts, session.Total(-1 - key));
        for (long key = 0; key < 20; key++) _ = session.Merge(-1 - key, 1);
        Assert.Equal(20 * Parts, store.Statistics.DeltasCollapsed);
        for (long key = 0; key < 20; key++) Assert.Equal(101 + Parts, session.Total(-1 - key));
    });

    [Fact]
    public Task A_merger_that_throws_ends_the_compaction_and_delays_no_operation() => Guard.RunAsync(async () =>
    {
        bool throws = true;
        RecordSchema schema = MergingOperations.Schema with
        {
            Merger = (key, older, newer, merged) =>
            {
                if (throws) throw new InvalidOperationException("Not now.");
                MergingOperations.Schema.Merger!(key, older, newer, merged);
            },
        };
        await using TieredStore store = await OpenAsync(null, Small with { HotLogSize = ByteSize.MiB(64) }, schema);
        using TieredSession session = store.StartSession();
        session.Put(-1, 100);
        await SendToDiskAsync(store, store.Hot);
        _ = await store.CompactHotAsync(store.Hot.Log.HeadAddress);
        await SendToDiskAsync(store, store.Cold);
        _ = session.Merge(-1, 1);
        await SendToDiskAsync(store, store.Hot);
        _ = session.Merge(-1, 1); // a delta in front, and mutable
        FasterException thrown = await Errors.ThrowsAsync(
            ErrorReason.UserFunction,
            () => store.CompactHotAsync(store.Hot.Log.HeadAddress));
        Assert.Contains("Not now.", thrown.Message, StringComparison.Ordinal);
        Assert.Equal(Status.Ok, session.Merge(-1, 2));
        Assert.Equal(104, session.Total(-1));
        throws = false;
        _ = await store.CompactHotAsync(store.Hot.Log.HeadAddress);
        Assert.Equal(104, session.Total(-1));
    });

    [Fact]
    public Task Deltas_are_refused_by_a_store_without_a_merger() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync(
            null, Small with { HotLogSize = ByteSize.MiB(64) },
            Faster.Tests.Operations.CounterOperations.Schema);
        using TieredSession session = store.StartSession();
        session.Put(-1, 100);
        await SendToDiskAsync(store, store.Hot);
        _ = await store.CompactHotAsync(store.Hot.Log.HeadAddress);
        await SendToDiskAsync(store, store.Cold);
        _ = session.Merge(-1, 1);
        FasterException thrown = Errors.Throws(ErrorReason.UserFunction, () => _ = session.Get(-1));
        Assert.Contains("[Merger]", thrown.Message, StringComparison.Ordinal);
        thrown = await Errors.ThrowsAsync(ErrorReason.UserFunction, () => store.LiveAsync());
        Assert.Contains("[Merger]", thrown.Message, StringComparison.Ordinal);
        await SendToDiskAsync(store, store.Hot);
        thrown = await Errors.ThrowsAsync(
            ErrorReason.UserFunction,
            () => store.CompactHotAsync(store.Hot.Log.HeadAddress));
        Assert.Contains("[Merger]", thrown.Message, StringComparison.Ordinal);
        Assert.Equal(101, session.Total(-1));
    });

    private static void ReadWhile(Func<bool> goesOn, TieredStore store, int hot, int cold)
    {
        using TieredSession session = store.StartSession();
        long[] seen = new long[cold];
        for (int i = 0; goesOn(); i++)
        {
            foreach ((long key, long? value) in session.Totals(Some(i, i % 2 == 0 ? hot : cold)))
            {
                Assert.InRange(value ?? 0, seen[key], long.MaxValue);
                seen[key] = value ?? 0;
            }
        }
    }

    private static IEnumerable<long> Some(int seed, int keys)
    {
        var random = new Random(seed);
        return Enumerable.Range(0, 50).Select(_ => (long)random.Next(keys)).Distinct();
    }
}
