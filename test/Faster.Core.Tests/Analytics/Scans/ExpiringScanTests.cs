using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;
using Faster.Tests.Operations.Merging;

namespace Faster.Tests.Analytics.Scans;

/// <summary>Records with a time to live in scans, histories and exports.</summary>
public sealed class ExpiringScanTests
{
    private readonly ManualTime _time = new();

    [Fact]
    public Task A_live_scan_leaves_out_what_has_expired() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        SortedDictionary<long, long?> lasting = Fill(session);
        Assert.Equal(4_000, (await store.LiveAsync()).Count);
        _time.Advance(10_000);
        Assert.Equal(lasting, await store.LiveAsync());
    });

    [Fact]
    public Task An_import_brings_the_times_along() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        using (FasterSession session = store.StartSession()) Fill(session);
        var bytes = new MemoryStream();
        _time.Advance(4_000);
        Assert.Equal(4_000, await store.Analytics.ExportAsync(bytes));
        await using FasterStore copy = await OpenAsync();
        bytes.Position = 0;
        Assert.Equal(4_000, await copy.Analytics.ImportAsync<CounterOperations.Upsert>(bytes));
        _time.Advance(5_999);
        using FasterSession other = copy.StartSession();
        Assert.Equal((3, 6), (other.Get(1), other.Get(2)));
        _time.Advance(1);
        Assert.Equal((null, 6), (other.Get(1), other.Get(2)));
        Assert.Equal(await store.LiveAsync(), await copy.LiveAsync());
    });

    [Fact]
    public Task A_key_that_is_renewed_while_the_scan_goes_on_is_not_left_out() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromSeconds(10);
        for (long key = 0; key < 4_000; key++) session.Put(key, key * 3);
        int given = 0;
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
        {
            Assert.Equal(key * 3, value);
            if (given++ != 0) continue;
            _time.Advance(9_000);
            for (long other = 0; other < 4_000; other++) session.AddTo(other, 1);
            _time.Advance(3_000);
        }

        Assert.Equal(4_000, given);
    });

    [Fact]
    public Task Records_that_expire_come_into_a_store_whose_updates_merge() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        using (FasterSession session = store.StartSession()) Fill(session);
        var bytes = new MemoryStream();
        await store.Analytics.ExportAsync(bytes);
        bytes.Position = 0;
        await using FasterStore merging = await FasterStore.OpenAsync(
            null, AnalyticsStores.Options with { TimeProvider = _time }, MergingOperations.Schema, default);
        Assert.Equal(4_000, await merging.Analytics.ImportAsync<CounterOperations.Upsert>(bytes));
        using FasterSession other = merging.StartSession();
        Assert.Equal((3, 6), (other.Total(1), other.Total(2)));
        _time.Advance(10_000);
        Assert.Equal((null, 6), (other.Total(1), other.Total(2)));
    });

    [Fact]
    public Task A_part_counts_on_when_the_value_behind_it_has_expired() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        using (FasterSession session = store.StartSession()) Fill(session);
        var bytes = new MemoryStream();
        await store.Analytics.ExportAsync(bytes);
        bytes.Position = 0;
        StoreOptions options = AnalyticsStores.Options with { TimeProvider = _time, ReadCacheFraction = 0.5 };
        await using FasterStore merging = await FasterStore.OpenAsync(null, options, MergingOperations.Schema, default);
        await merging.Analytics.ImportAsync<CounterOperations.Upsert>(bytes);
        using FasterSession other = merging.StartSession();
        Spill(other, 1_000_000);
        _ = other.Merge(1, 100);
        Spill(other, 2_000_000);
        for (int i = 0; i < 3; i++) Assert.Equal(103, other.Total(1)); // from the cache, if at all
        _time.Advance(10_000);
        Assert.Equal(100, other.Total(1));
        _ = other.Merge(1, 1);
        Assert.Equal(101, other.Total(1));
    });

    // So much is written that what was there before is on disk.
    private static void Spill(FasterSession session, long from)
    {
        for (long key = from; key < from + 30_000; key++) session.Put(key, 1);
    }

    [Fact]
    public Task A_record_tells_when_it_expires() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromSeconds(10);
        DateTimeOffset due = _time.GetUtcNow().AddSeconds(10);
        session.Put(1, 5);
        session.TimeToLive = TimeSpan.Zero;
        session.Put(2, 6);
        await foreach ((long key, DateTimeOffset? at) in store.Analytics.ScanAsync(null, Times))
            Assert.Equal(key == 1 ? due : null, at);

        _time.Advance(10_000);
        await foreach ((long key, DateTimeOffset? _, bool isTombstone) in store.Analytics.ScanAsync(
            new ScanOptions { Scope = ScanScope.All },
            static record => (Times(record).Key, record.ExpiresAt, record.IsTombstone)))
            Assert.Equal(key == 1, isTombstone);
    });

    [Fact]
    public Task Of_a_large_value_that_has_expired_no_chunk_is_missed() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await LargeStore.OpenAsync(LargeStore.Options with { TimeProvider = _time });
        using FasterSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromSeconds(10);
        session.PutBytes(1, LargeStore.Value(3 * LargeStore.Page, 1));
        session.TimeToLive = TimeSpan.Zero;
        long address = 0;
        var all = new ScanOptions { Scope = ScanScope.All };
        await foreach (long at in store.Analytics.ScanAsync(all, static record => record.Address)) address = at;
        for (int key = 2; key < 2_000; key++) session.PutBytes(key, LargeStore.Value(1_000, key));
        await store.TruncateAsync(address);
        Assert.True(store.Statistics.BeginAddress > LargeStore.Page); // where its fragments lay

        LogEntry<(int Key, bool IsTombstone)> gap = await FirstAsync(store);
        Assert.True(gap.IsGap && gap.Address == address);
        _time.Advance(10_000);
        LogEntry<(int Key, bool IsTombstone)> dead = await FirstAsync(store);
        Assert.False(dead.IsGap);
        Assert.Equal((1, true), dead.Record);
        int versions = 0;
        await foreach (RecordVersion<(int, bool)> past in store.Analytics.HistoryAsync(
            new BytesKey(BitConverter.GetBytes(1)), Deaths))
        {
            Assert.Equal((1, true), past.Record);
            versions++;
        }

        Assert.Equal(1, versions);
    });

    private static async Task<LogEntry<(int Key, bool IsTombstone)>> FirstAsync(FasterStore store)
    {
        var options = new SubscribeOptions { FromAddress = SubscribeOptions.Beginning };
        await foreach (LogEntry<(int, bool)> item in store.Analytics.SubscribeAsync(options, Deaths)) return item;
        throw new InvalidOperationException("There is nothing.");
    }

    private static (int Key, bool IsTombstone) Deaths(RecordView record) =>
        (BitConverter.ToInt32(record.Key), record.IsTombstone);

    private static (long Key, DateTimeOffset? At) Times(RecordView record) =>
        (BitConverter.ToInt64(record.Key), record.ExpiresAt);

    // Every other one lives for ten seconds.
    private static SortedDictionary<long, long?> Fill(FasterSession session)
    {
        var lasting = new SortedDictionary<long, long?>();
        for (long key = 0; key < 4_000; key++)
        {
            session.TimeToLive = key % 2 == 1 ? TimeSpan.FromSeconds(10) : TimeSpan.Zero;
            session.Put(key, key * 3);
            if (key % 2 == 0) lasting[key] = key * 3;
        }

        return lasting;
    }

    private async Task<FasterStore> OpenAsync() => await FasterStore.OpenAsync(
        null, AnalyticsStores.Options with { TimeProvider = _time }, CounterOperations.Schema, default);
}
