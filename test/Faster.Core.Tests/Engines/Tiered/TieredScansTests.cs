using System.IO.Pipelines;
using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Analytics;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Scans, export and import of tiered stores, compared with a model, while records move; also into the engine FASTER
/// and out of it.
/// </summary>
public sealed class TieredScansTests
{
    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 10_000,
        CommitOnDispose = false,
    };

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public Task Scans_agree_with_a_model_while_records_move(int seed) => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync();
        using TieredSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        var random = new Random(seed);
        for (int round = 0; round < 6; round++)
        {
            Churn(session, model, random, keys: 12_000, steps: 20_000);
            if (round % 3 == 2) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
            ByteSize table = round % 2 == 0 ? new ScanOptions().TableMemory : ByteSize.KiB(64);
            Assert.Equal(model, await LiveAsync(store, new ScanOptions { TableMemory = table }));
        }

        Assert.True(store.Hot.Log.BeginAddress > PagedLog.FirstAddress, "records have moved");
        Assert.True(store.Cold.Log.BeginAddress > PagedLog.FirstAddress, "and were compacted");
        Assert.Null(store.Core.Faults.Last);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_scan_is_not_disturbed_by_what_moves_and_is_truncated_meanwhile(bool isInFolder) =>
        Guard.RunAsync(async () =>
        {
            using var folder = new TemporaryFolder();
            await using TieredStore store = await OpenAsync(isInFolder ? folder.Path : null);
            using TieredSession session = store.StartSession();
            var random = new Random(3);
            var model = new SortedDictionary<long, long?>();
            Churn(session, model, random, keys: 12_000, steps: 40_000);
            var live = new SortedDictionary<long, long?>();
            var options = new ScanOptions { TableMemory = ByteSize.KiB(64) };
            long hotEnd = 0, coldEnd = 0;
            int returned = 0;
            await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, AnalyticsStores.Pair))
            {
                live.Add(key, value);
                if (returned++ == 0) (hotEnd, coldEnd) = (store.Hot.Log.TailAddress, store.Cold.Log.TailAddress);
                if (returned % 2_000 != 1) continue;
                Churn(session, new SortedDictionary<long, long?>(), random, keys: 12_000, steps: 10_000);
                _ = await store.HotTruncation.CompactWithoutReleaseAsync(store.Hot.Log.TailAddress);
                await store.HotTruncation.ReleaseAsync();
                _ = await store.ColdTruncation.CompactWithoutReleaseAsync(store.Cold.Log.HeadAddress);
                await store.ColdTruncation.ReleaseAsync();
                if (!isInFolder) continue;
                _ = await store.CommitAsync();
            }

            Assert.True(
                store.Hot.Log.BeginAddress > hotEnd && store.Cold.Log.BeginAddress > coldEnd,
                "all that the scan has read was truncated");
            Assert.Equal(model, live);
            Assert.Equal(long.MaxValue, store.Hot.PagedLog!.Pins.LowestPinned);
            Assert.Equal(long.MaxValue, store.Cold.PagedLog!.Pins.LowestPinned);
            Assert.Null(store.Core.Faults.Last);
        });

    [Fact]
    public Task A_scan_beside_writers_returns_what_stays_once() => Guard.RunAsync(async () =>
    {
        const int Staying = 6_000, Coming = 2_000;
        await using TieredStore store = await OpenAsync();
        using (TieredSession session = store.StartSession())
            for (long key = 0; key < Staying; key++) session.Put(key, key);
        bool stop = false;
        Task[] writers = [Task.Run(() => Write(1)), Task.Run(() => Write(2))];
        do
        {
            SortedDictionary<long, long?> live = await LiveAsync(store, new ScanOptions());
            for (long key = 0; key < Staying; key++) Assert.Equal(key, live[key] % Staying);
            _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
        }
        while (store.Statistics.HotCompactions < 10);

        Volatile.Write(ref stop, true);
        await Task.WhenAll(writers);
        Assert.Null(store.Core.Faults.Last);

        void Write(int seed)
        {
            using TieredSession session = store.StartSession();
            var random = new Random(seed);
            while (!Volatile.Read(ref stop))
            {
                long key = random.Next(Staying + Coming);
                if (key < Staying) session.Put(key, key + (Staying * random.Next(9)));
                else if (random.Next(2) == 0) session.Put(key, key);
                else _ = session.Remove(key);
            }
        }
    });

    [Fact]
    public Task A_recovered_store_is_scanned_in_both_tiers() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var model = new SortedDictionary<long, long?>();
        var random = new Random(4);
        for (int round = 0; round < 3; round++)
        {
            await using TieredStore store = await OpenAsync(folder.Path);
            using TieredSession session = store.StartSession();
            Assert.Equal(model, await LiveAsync(store, new ScanOptions()));
            Churn(session, model, random, keys: 12_000, steps: 20_000);
            _ = await store.CommitAsync();
            Churn(session, new SortedDictionary<long, long?>(), random, keys: 12_000, steps: 10_000); // is lost
        }
    });

    [Fact]
    public Task An_expired_record_is_not_returned_and_hides_older_ones() => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        await using TieredStore store = await OpenAsync(null, Small with { TimeProvider = time });
        using TieredSession session = store.StartSession();
        for (long key = 0; key < 300; key++) session.Put(key, key);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        session.TimeToLive = TimeSpan.FromSeconds(10);
        for (long key = 100; key < 200; key++) session.Put(key, -key);
        time.Advance(11_000);
        SortedDictionary<long, long?> live = await LiveAsync(store, new ScanOptions());
        Assert.Equal(
            Enumerable.Range(0, 300).Where(static key => key is < 100 or >= 200).Select(static key => (long)key),
            live.Keys);
    });

    [Fact]
    public Task A_store_goes_to_another_engine_and_comes_back() => Guard.RunAsync(async () =>
    {
        await using TieredStore source = await OpenAsync();
        using TieredSession session = source.StartSession();
        var model = new SortedDictionary<long, long?>();
        Churn(session, model, new Random(5), keys: 12_000, steps: 40_000);
        var bytes = new MemoryStream();
        Assert.Equal(model.Count, await source.Analytics.ExportAsync(bytes));
        bytes.Position = 0;
        await using FasterStore other = await AnalyticsStores.InMemoryAsync();
        Assert.Equal(model.Count, await other.Analytics.ImportAsync<Upsert>(bytes));
        Assert.Equal(model, await other.LiveAsync());

        await using TieredStore back = await OpenAsync();
        using (TieredSession before = back.StartSession()) before.Put(20_000, 1);
        PipeReader reader = other.Analytics.OpenReader();
        Assert.Equal(model.Count, await back.Analytics.ImportAsync<Upsert>(reader));
        await reader.CompleteAsync();
        model[20_000] = 1;
        Assert.Equal(model, await LiveAsync(back, new ScanOptions()));
    });

    [Fact]
    public Task An_import_keeps_when_records_expire() => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        await using TieredStore source = await OpenAsync(null, Small with { TimeProvider = time });
        await using TieredStore copy = await OpenAsync(null, Small with { TimeProvider = time });
        using TieredSession session = source.StartSession();
        session.Put(1, 10);
        session.TimeToLive = TimeSpan.FromSeconds(10);
        session.Put(2, 20);
        PipeReader reader = source.Analytics.OpenReader();
        Assert.Equal(2, await copy.Analytics.ImportAsync<Upsert>(reader));
        await reader.CompleteAsync();
        Assert.Equal([1, 2], (await LiveAsync(copy, new ScanOptions())).Keys);
        time.Advance(11_000);
        Assert.Equal([1], (await LiveAsync(copy, new ScanOptions())).Keys);
    });

    [Fact]
    public Task Missing_capabilities_are_refused_and_a_closed_store_ends_a_scan() => Guard.RunAsync(async () =>
    {
        TieredStore store = await OpenAsync();
        Assert.Throws<NotSupportedException>(() => store.Analytics.ScanAsync(
            new ScanOptions { Scope = ScanScope.All }, AnalyticsStores.Pair));
        using (TieredSession session = store.StartSession())
            for (long key = 0; key < 20_000; key++) session.Put(key, key);
        await using IAsyncEnumerator<(long Key, long? Value)> scan =
            store.Analytics.ScanAsync(null, AnalyticsStores.Pair).GetAsyncEnumerator();
        Assert.True(await scan.MoveNextAsync());
        await store.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
        {
            while (await scan.MoveNextAsync()) { }
        });
    });

    // A scan pins both logs. Compaction goes on beside it; what it frees comes back when the scan has ended.
    [Fact]
    public Task A_long_scan_under_a_disk_budget_loses_nothing_and_holds_no_writer_up_for_good() =>
        Guard.RunAsync(async () =>
        {
            const int Keys = 20_000, Rounds = 12, Budget = 8 << 20;
            using var folder = new TemporaryFolder();
            await using TieredStore store = await OpenAsync(
                folder.Path, Small with { DiskBudget = new ByteSize(Budget), SegmentSize = ByteSize.KiB(256) });
            using TieredSession session = store.StartSession();
            for (long key = 0; key < Keys; key++) session.Put(key, key);
            var found = new Dictionary<long, long>();
            long most = 0, written = 0;
            var options = new ScanOptions();
            await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, AnalyticsStores.Pair))
            {
                found.Add(key, value!.Value);
                if (found.Count % (Keys / Rounds) != 0) continue;
                for (long next = 0; next < Keys; next++) session.Put(next, next + Keys); // the same value each time
                written += Keys;
                most = Math.Max(most, BytesIn(folder));
            }

            Assert.Equal(Keys, found.Count);
            Assert.All(found, static pair => Assert.True(
                pair.Value == pair.Key || pair.Value == pair.Key + Keys, $"{pair.Key} has {pair.Value}"));
            // What is pinned and what has come since, in both logs; an eighth for checksums, hash chunks and commits.
            long unbounded = Budget + (written * 2 * 24 * 9 / 8);
            Assert.InRange(most, 1, unbounded);
            for (int round = 0; round < 60 && (round < 4 || BytesIn(folder) > Budget * 3 / 2); round++)
                for (long key = 0; key < Keys; key++) session.Put(key, key + Keys);
            Assert.InRange(BytesIn(folder), 1, Budget * 3 / 2); // released, and within the budget again
            SortedDictionary<long, long?> live = await LiveAsync(store, new ScanOptions());
            Assert.Equal(Keys, live.Count);
            Assert.All(live, static pair => Assert.Equal(pair.Key + Keys, pair.Value));
            Assert.Null(store.Core.Faults.Last);
        });

    private static long BytesIn(TemporaryFolder folder) =>
        FolderListing.AtOneMoment(folder.Path).Sum(static file => file.Bytes);

    private static ValueTask<TieredStore> OpenAsync(string? path = null, TieredOptions? options = null) =>
        TieredStore.OpenAsync(path, options ?? Small, Schema, CancellationToken.None);

    private static async Task<SortedDictionary<long, long?>> LiveAsync(TieredStore store, ScanOptions options)
    {
        var live = new SortedDictionary<long, long?>();
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, AnalyticsStores.Pair))
            live.Add(key, value); // throws if a key comes twice
        return live;
    }

    private static void Churn(
        TieredSession session, SortedDictionary<long, long?> model, Random random, int keys, int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            long key = (long)(Math.Pow(random.NextDouble(), 2) * keys);
            switch (random.Next(6))
            {
                case 0:
                    _ = session.Remove(key);
                    model.Remove(key);
                    break;
                case 1:
                    var add = new Add(i, null);
                    _ = session.Rmw(Key(key), ref add);
                    session.CompletePending(wait: true);
                    model[key] = (model.TryGetValue(key, out long? old) ? old : 0) + i;
                    break;
                default:
                    session.Put(key, i);
                    model[key] = i;
                    break;
            }
        }
    }
}
