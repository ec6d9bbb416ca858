using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Opening;
using Faster.Tiers;

namespace Faster.Tests.Operations.Merging;

/// <summary>A store whose values are merged: what it saves, and that it loses nothing.</summary>
public sealed class MergingStoreTests : IDisposable
{
    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4), ExpectedKeys = 20_000, ReadCacheFraction = 0,
        CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<RecordAllocatorKind, double> Shapes => new()
    {
        { RecordAllocatorKind.Hybrid, 0 },
        { RecordAllocatorKind.Hybrid, 0.75 },
        { RecordAllocatorKind.AppendOnly, 0 },
        { RecordAllocatorKind.InMemory, 0 },
    };

    public static TheoryData<CommitKind> Kinds => [.. Enum.GetValues<CommitKind>()];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Updates_of_records_on_disk_read_nothing()
    {
        const int Keys = 100_000; // 24 bytes each
        await using FasterStore store = await OpenInMemory(Small);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key * 3);
        for (long key = 0; key < Keys; key += 11) Assert.Equal(Status.Ok, session.Merge(key, 1));
        StoreStatistics statistics = store.Statistics;
        Assert.Equal(0, statistics.DiskReads);
        Assert.InRange(statistics.DeltasAppended, Keys / 11 / 2, Keys / 11);
        foreach ((long key, long? value) in session.Totals(Numbers(0, Keys).Where(static key => key % 7 == 0)))
            Assert.Equal((key * 3) + (key % 11 == 0 ? 1 : 0), value);
        Assert.Null(store.Statistics.LastFault);
    }

    [Theory]
    [InlineData(16, true)] // of 4.8 MB on disk: below half of the budget, and above it
    [InlineData(6, false)]
    public async Task Within_a_disk_budget_updates_of_records_on_disk_read_when_space_is_short(
        int budget, bool appends)
    {
        const int Keys = 100_000; // 24 bytes each
        await using FasterStore store = await OpenInMemory(Small with
        {
            DiskBudget = ByteSize.MiB(budget),
        });
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key * 3);
        StoreStatistics before = store.Statistics;
        Assert.Equal(0, before.Compactions);
        for (long key = 0; key < 500; key++) _ = session.Merge(key, 1);
        session.CompletePending(wait: true);
        Assert.Equal(appends ? 500 : 0, store.Statistics.DeltasAppended);
        Assert.Equal(appends, store.Statistics.DiskReads == before.DiskReads);
        foreach ((long key, long? value) in session.Totals(Numbers(0, 1000)))
            Assert.Equal((key * 3) + (key < 500 ? 1 : 0), value);
        Assert.Null(store.Statistics.LastFault);
    }

    [Theory, MemberData(nameof(Shapes))]
    public async Task A_session_agrees_with_a_dictionary(RecordAllocatorKind allocator, double cache)
    {
        const int Keys = 30_000; // 24 bytes each
        bool onDisk = allocator != RecordAllocatorKind.InMemory;
        await using FasterStore store = await OpenInMemory(Small with
        {
            Allocator = allocator, ReadCacheFraction = cache, MemoryBudget = ByteSize.KiB(onDisk ? 512 : 4096),
        });
        using FasterSession session = store.StartSession();
        var model = new Dictionary<long, long>();
        var random = new Random(3);
        for (int i = 0; i < 60_000; i++)
        {
            long key = random.Next(Keys), value = random.Next(1, 1000);
            switch (random.Next(8))
            {
                case 0:
                    session.Put(key, value);
                    model[key] = value;
                    break;
                case 1 when random.Next(4) == 0:
                    Status status = session.Remove(key);
                    if (status == Status.NotFound) Assert.DoesNotContain(key, model);
                    model.Remove(key);
                    break;
                case < 6:
                    _ = session.Merge(key, value);
                    model[key] = model.GetValueOrDefault(key) + value;
                    break;
                default:
                    Assert.Equal(model.TryGetValue(key, out long expected) ? expected : null, session.Total(key));
                    break;
            }
        }

        foreach ((long key, long? value) in session.Totals(Numbers(0, Keys)))
            Assert.Equal(model.TryGetValue(key, out long expected) ? expected : null, value);
        StoreStatistics statistics = store.Statistics;
        Assert.True(onDisk ? statistics.DeltasAppended > 1000 : statistics.DeltasAppended == 0, statistics.ToString());
    }

    [Fact]
    public async Task Parts_in_memory_are_collapsed_when_there_are_too_many()
    {
        await using FasterStore store = await OpenInMemory(Small);
        using FasterSession session = store.StartSession();
        session.Put(-1, 1000);
        Spill(session);
        int pending = 0;
        for (int i = 1; i <= 3 * (CollapseHints.Bound + 1); i++)
        {
            if (session.Merge(-1, 1) == Status.Pending) pending++;
            Assert.Equal(1000 + i, session.Total(-1));
            store.ScanLog().Dispose(); // whatever there is becomes read-only
        }

        StoreStatistics statistics = store.Statistics;
        Assert.Equal(1, pending); // the whole record that was made then is in memory
        Assert.Equal(CollapseHints.Bound, statistics.DeltasAppended);
        Assert.Equal(CollapseHints.Bound, statistics.DeltasCollapsed);
    }

    [Fact]
    public async Task Parts_on_disk_are_collapsed_after_a_read_has_met_too_many()
    {
        const int Parts = 3 * CollapseHints.Bound;
        await using FasterStore store = await OpenInMemory(Small);
        using FasterSession session = store.StartSession();
        session.Put(-1, 1000);
        for (int i = 0; i < Parts; i++)
        {
            Spill(session);
            Assert.Equal(Status.Ok, session.Merge(-1, 1));
        }

        Spill(session);
        Assert.Equal(Parts, store.Statistics.DeltasAppended);
        long before = store.Statistics.DiskReads;
        Assert.Equal(1000 + Parts, session.Total(-1));
        long apart = store.Statistics.DiskReads - before;
        Assert.True(apart > Parts, $"{apart} reads for {Parts} parts");
        Assert.Equal(Status.Pending, session.Merge(-1, 1));
        Assert.Equal(Parts, store.Statistics.DeltasCollapsed);
        Spill(session);
        before = store.Statistics.DiskReads;
        Assert.Equal(1001 + Parts, session.Total(-1));
        long whole = store.Statistics.DiskReads - before;
        Assert.True(whole < apart / 3, $"{whole} reads after the collapse, {apart} before");
        Assert.Equal(Status.Ok, session.Merge(-1, 1)); // nothing is collapsed without need
    }

    [Fact]
    public async Task A_copy_in_the_read_cache_stands_for_all_parts()
    {
        await using FasterStore store = await OpenInMemory(Small with { ReadCacheFraction = 0.75 });
        using FasterSession session = store.StartSession();
        for (long key = -200; key < 0; key++) session.Put(key, 1000);
        for (int i = 0; i < 3; i++)
        {
            Spill(session);
            for (long key = -200; key < 0; key++) Assert.Equal(Status.Ok, session.Merge(key, 1));
        }

        Spill(session);
        for (int round = 0; round < 3; round++)
            for (long key = -200; key < 0; key++) Assert.Equal(1003, session.Total(key));
        Assert.True(store.Statistics.ReadCacheHits > 100, store.Statistics.ToString());
        long appended = store.Statistics.DeltasAppended;
        for (long key = -200; key < 0; key++) _ = session.Merge(key, 1);
        Assert.True(store.Statistics.DeltasAppended - appended < 100, "Copies were not made use of.");
        for (long key = -200; key < 0; key++) Assert.Equal(1004, session.Total(key));
    }

    [Theory, MemberData(nameof(Kinds))]
    public async Task Committed_values_are_there_again_without_parts_that_came_later(CommitKind kind)
    {
        const int Keys = 500;
        StoreOptions options = Small with { CommitKind = kind };
        for (int round = 0; round < 3; round++)
        {
            await using FasterStore store = await Open(options);
            using FasterSession session = store.StartSession("one");
            foreach ((_, long? value) in session.Totals(Numbers(-Keys, Keys)))
                Assert.Equal(round == 0 ? null : round * 3, value);
            for (int commit = 0; commit < 3; commit++)
            {
                for (long key = 0; key < Keys; key++) _ = session.Merge(-1 - key, 1);
                Spill(session);
                _ = await store.CommitAsync(withIndex: commit == 1);
            }

            for (long key = 0; key < Keys; key++) _ = session.Merge(-1 - key, 1_000_000);
            if (round % 2 == 0) Spill(session); // on disk, but after the commit
            Assert.True(store.Statistics.DeltasAppended > Keys, store.Statistics.ToString());
        }

        await using FasterStore again = await Open(options);
        using FasterSession last = again.StartSession("one");
        foreach ((_, long? value) in last.Totals(Numbers(-Keys, Keys))) Assert.Equal(9, value);
    }

    [Theory, MemberData(nameof(Kinds))]
    public async Task Every_prefix_is_exact_while_sessions_go_on(CommitKind kind)
    {
        const int Threads = 3, Keys = 40_000;
        StoreOptions options = Small with { CommitKind = kind };
        await using (FasterStore store = await Open(options))
        {
            using (FasterSession loader = store.StartSession())
                Spill(loader); // the same keys: the first update of one that is on disk appends a delta

            FasterSession[] sessions =
                [.. Enumerable.Range(0, Threads).Select(number => store.StartSession($"thread {number}"))];
            Task[] threads = [.. Enumerable.Range(0, Threads).Select(number => Task.Run(() =>
            {
                using FasterSession session = sessions[number];
                for (long serial = 1; serial <= Keys; serial++)
                    _ = session.Merge((serial * 7919) % Keys, 1L << (20 * number));
            }))];
            do _ = await store.CommitAsync();
            while (!threads.All(static thread => thread.IsCompleted));
            await Task.WhenAll(threads);
            Assert.True(store.Statistics.DeltasAppended > 1000, store.Statistics.ToString());
        }

        await using FasterStore again = await Open(options);
        using FasterSession reader = again.StartSession();
        long sum = 0;
        foreach ((_, long? value) in reader.Totals(Numbers(0, Keys))) sum += value ?? 0;
        for (int number = 0; number < Threads; number++)
        {
            using FasterSession session = again.ContinueSession($"thread {number}", out CommitPoint point);
            sum -= point.SerialNumber << (20 * number);
        }

        Assert.Equal(0, sum);
    }

    [Fact]
    public async Task A_scan_tells_parts_from_whole_values()
    {
        await using FasterStore store = await OpenInMemory(Small);
        using FasterSession session = store.StartSession();
        for (long key = -100; key < 0; key++) session.Put(key, key);
        Spill(session);
        for (long key = -100; key < 0; key++) _ = session.Merge(key, 1000);
        var totals = new Dictionary<long, long>();
        using LogScan scan = store.ScanLog();
        while (scan.MoveNext())
        {
            long key = BitConverter.ToInt64(scan.Key), value = BitConverter.ToInt64(scan.Value);
            totals[key] = scan.IsDelta ? totals[key] + value : value;
        }

        for (long key = -100; key < 0; key++) Assert.Equal(key + 1000, totals[key]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Parts_are_refused_by_operations_that_do_not_merge(bool onDisk)
    {
        await using FasterStore store = await OpenInMemory(Small);
        using FasterSession session = store.StartSession();
        session.Put(-1, 1000);
        Spill(session);
        _ = session.Merge(-1, 1);
        if (onDisk) Spill(session);
        Assert.Contains("[Merger]", Refused(() => session.Get(-1)), StringComparison.Ordinal);
        Assert.Contains("[Merger]", Refused(() => session.AddTo(-1, 1)), StringComparison.Ordinal);
        Assert.Equal(1001, session.Total(-1));
        session.Put(-1, 5);
        Assert.Equal(5, session.Get(-1));
    }

    private static string Refused(Action action)
    {
        try
        {
            action();
        }
        catch (FasterException e) when (e.Reason == ErrorReason.UserFunction)
        {
            return e.Message;
        }

        return "It was not refused.";
    }

    private static IEnumerable<long> Numbers(long first, int count) =>
        Enumerable.Range(0, count).Select(i => first + i);

    // Puts so many other records behind that all before are on disk.
    private static void Spill(FasterSession session)
    {
        for (long key = 0; key < 40_000; key++) session.Put(key, 0);
    }

    private static Task<FasterStore> OpenInMemory(StoreOptions options) => FasterStore
        .OpenAsync(null, options.InMemory(), CounterOperations.Schema, default).AsTask();

    private Task<FasterStore> Open(StoreOptions options) =>
        FasterStore.OpenAsync(_folder.Path, options, CounterOperations.Schema, default).AsTask();
}
