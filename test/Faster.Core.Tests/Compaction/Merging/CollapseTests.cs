using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Analytics;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Opening;
using Faster.Tests.Operations.Merging;

namespace Faster.Tests.Compaction.Merging;

/// <summary>Compaction of stores whose updates merge, with a real store and real threads: every sum is exact.</summary>
public sealed class CollapseTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, 0, 1)]
    [InlineData(RecordAllocatorKind.Hybrid, 0.75, 3)]
    [InlineData(RecordAllocatorKind.AppendOnly, 0, 3)]
    public async Task Compactions_scans_and_operations_by_turns_agree_with_a_dictionary(
        RecordAllocatorKind allocator, double cache, int threads)
    {
        const int Keys = 12_000;
        StoreOptions options = GarbageStore.Small with
        {
            Allocator = allocator, ReadCacheFraction = cache, CompactionThreads = threads,
        };
        await using FasterStore store = await OpenAsync(null, options);
        using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        var random = new Random(4);
        for (int round = 0; round < TestBudget.Times(6); round++)
        {
            for (int i = 0; i < 12_000; i++) Step(session, model, random, Keys);
            if (round % 3 == 1) await store.ShiftReadOnlyAsync();
            long begin = store.Statistics.BeginAddress, tail = store.Statistics.TailAddress;
            CompactionResult result = await store.CompactAsync(begin + ((tail - begin) * random.Next(3, 11) / 10));
            Assert.True(result.BytesReclaimed > 0);
            if (round % 3 == 0) Assert.Equal(model, await store.LiveAsync());
            if (round % 2 == 0) AssertTotals(session, model, Keys);
        }

        Assert.Equal(model, await store.LiveAsync());
        AssertTotals(session, model, Keys);
        StoreStatistics now = store.Statistics;
        Assert.Null(now.LastFault);
        Assert.True(now.DeltasAppended > 3000 && now.DeltasCollapsed > 1000, now.ToString());

        // Everything below the tail is copied to it: one record of each key is left.
        _ = await store.CompactAsync(now.TailAddress);
        Assert.Equal(model, await store.LiveAsync());
        AssertTotals(session, model, Keys);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public Task Sums_are_exact_while_threads_add_and_the_store_compacts(int copiers) => Guard.RunAsync(async () =>
    {
        const int Threads = 3, Rounds = 4, Hot = 20, Cold = 12_000;
        int steps = TestBudget.Times(6_000);
        await using FasterStore store = await OpenAsync(null, GarbageStore.Small with { CompactionThreads = copiers });
        long added = 0;
        for (int round = 0; round < Rounds; round++)
        {
            // The number of steps has a limit: threads that add for as long as the compaction takes give the next one
            // more to copy than this one had, and on a slow disk or a busy machine that never ends.
            bool isOver = false;
            Task<long>[] adders = [.. Enumerable.Range(round * Threads, Threads).Select(number => Task.Run(() =>
            {
                using FasterSession session = store.StartSession();
                var random = new Random(number);
                int i = 0;
                for (; i < steps || (i < 2 * steps && !Volatile.Read(ref isOver)); i++)
                    _ = session.Merge(random.Next(i % 3 == 0 ? Hot : Cold), 1);
                return (long)i;
            }))];
            _ = await store.CompactAsync(store.Statistics.TailAddress);
            Volatile.Write(ref isOver, true);
            added += (await Task.WhenAll(adders)).Sum();
        }

        _ = await store.CompactAsync(store.Statistics.TailAddress);
        using FasterSession reader = store.StartSession();
        long sum = 0;
        foreach ((_, long? value) in reader.Totals(Numbers(Cold))) sum += value ?? 0;
        Assert.Equal(added, sum);
        Assert.Equal(sum, (await store.LiveAsync()).Values.Sum());
        Assert.True(store.Statistics.DeltasCollapsed > 100, store.Statistics.ToString());
        Assert.Null(store.Statistics.LastFault);
    });

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public async Task Compactions_and_commits_and_recoveries_by_turns(CommitKind kind)
    {
        const int Keys = 4000;
        var model = new SortedDictionary<long, long?>();
        var random = new Random((int)kind + 1);
        StoreOptions options = GarbageStore.Small with { CommitKind = kind };
        for (int life = 0; life < 3; life++)
        {
            await using FasterStore store = await OpenAsync(_folder.Path, options);
            using FasterSession session = store.StartSession("one");
            AssertTotals(session, model, Keys);
            Assert.Equal(model, await store.LiveAsync());
            for (int commit = 0; commit < 2; commit++)
            {
                for (int i = 0; i < 14_000; i++) session.Put(Keys + i, 0); // so that the keys are on disk
                for (int i = 0; i < 500; i++) Step(session, model, random, Keys); // before compaction brings them back
                Task<CompactionResult> compaction = store.CompactAsync(store.Statistics.TailAddress);
                for (int i = 0; i < 2500; i++) Step(session, model, random, Keys);
                for (int i = 0; i < 14_000; i++) _ = session.Remove(Keys + i);
                Task<Commit> committed = store.CommitAsync(withIndex: commit == 1);
                _ = await compaction;
                _ = await committed;
            }

            Assert.True(store.Statistics.DeltasAppended > 0, store.Statistics.ToString());
            _ = await store.CommitAsync();
            for (long key = 0; key < Keys; key++) _ = session.Merge(key, 1_000_000); // never committed
            _ = await store.CompactAsync(store.Statistics.TailAddress);
        }
    }

    [Fact]
    public async Task Many_parts_on_disk_become_one_record()
    {
        const int Parts = 4;
        await using FasterStore store = await OpenAsync(null, GarbageStore.Small);
        using FasterSession session = store.StartSession();
        for (int part = 0; part < Parts; part++)
        {
            for (long key = -100; key < 0; key++) _ = session.Merge(key, 1);
            session.Fill(part * 20_000, (part + 1) * 20_000);
        }

        Assert.Equal(100 * (Parts - 1), store.Statistics.DeltasAppended);
        _ = await store.CompactAsync(store.Statistics.BeginAddress + 8192); // of each key only the first delta
        Assert.Equal(100 * (Parts - 1), store.Statistics.DeltasCollapsed);
        long reads = store.Statistics.DiskReads;
        for (long key = -100; key < 0; key++) Assert.Equal(Parts, session.Total(key));
        Assert.Equal(reads, store.Statistics.DiskReads);
        _ = await store.CompactAsync(store.Statistics.HeadAddress);
        for (long key = -100; key < 0; key++) Assert.Equal(Parts, session.Total(key));
    }

    [Fact]
    public async Task A_merger_that_throws_ends_the_compaction_and_delays_no_operation()
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
        await using FasterStore store =
            await FasterStore.OpenAsync(null, GarbageStore.Small.For(null), schema, default);
        using FasterSession session = store.StartSession();
        session.Put(-1, 100);
        session.Fill(0, 40_000);
        _ = session.Merge(-1, 1); // a delta, and mutable
        FasterException thrown = await Errors.ThrowsAsync(
            ErrorReason.UserFunction,
            () => store.CompactAsync(store.Statistics.HeadAddress));
        Assert.Contains("Not now.", thrown.Message, StringComparison.Ordinal);
        await Guard.RunAsync(() => Assert.Equal(Status.Ok, session.Merge(-1, 2)));
        Assert.Equal(103, session.Total(-1));
        await Errors.ThrowsAsync(ErrorReason.UserFunction, () => store.LiveAsync());
        throws = false;
        _ = await store.CompactAsync(store.Statistics.HeadAddress);
        Assert.Equal(103, session.Total(-1));
    }

    [Fact]
    public async Task Parts_are_refused_by_a_store_without_a_merger()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null);
        using FasterSession session = store.StartSession();
        session.Put(-1, 100);
        session.Fill(0, 40_000);
        _ = session.Merge(-1, 1);
        FasterException thrown = await Errors.ThrowsAsync(
            ErrorReason.UserFunction,
            () => store.CompactAsync(store.Statistics.HeadAddress));
        Assert.Contains("[Merger]", thrown.Message, StringComparison.Ordinal);
        thrown = await Errors.ThrowsAsync(ErrorReason.UserFunction, () => store.LiveAsync());
        Assert.Contains("[Merger]", thrown.Message, StringComparison.Ordinal);
        Assert.Equal(101, session.Total(-1));
    }

    private static void Step(FasterSession session, SortedDictionary<long, long?> model, Random random, int keys)
    {
        long key = random.Next(keys), value = random.Next(1, 1000);
        switch (random.Next(20))
        {
            case 0:
                _ = session.Remove(key);
                model.Remove(key);
                break;
            case < 4:
                session.Put(key, value);
                model[key] = value;
                break;
            default:
                _ = session.Merge(key, value);
                model[key] = (model.TryGetValue(key, out long? old) ? old : 0) + value;
                break;
        }
    }

    private static void AssertTotals(FasterSession session, SortedDictionary<long, long?> model, int keys)
    {
        foreach ((long key, long? value) in session.Totals(Numbers(keys)))
            Assert.Equal(model.TryGetValue(key, out long? expected) ? expected : null, value);
    }

    private static IEnumerable<long> Numbers(int count) => Enumerable.Range(0, count).Select(static i => (long)i);

    private static Task<FasterStore> OpenAsync(string? folder, StoreOptions options) =>
        FasterStore.OpenAsync(folder, options.For(folder), MergingOperations.Schema, default).AsTask();
}
