using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.HotRing;
using Faster.Tests.Analytics;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines.HotRing;

/// <summary>Scans, export and import, also into the engine FASTER and out of it.</summary>
public sealed class HotRingScansTests
{
    [Fact]
    public Task A_store_goes_to_another_engine_and_comes_back() => Guard.RunAsync(async () =>
    {
        await using FasterStore source = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = source.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, 8_000, 40_000, 3);
        var bytes = new MemoryStream();
        _ = await source.Analytics.ExportAsync(bytes);

        using HotRingStore rings = Open();
        using (HotRingSession before = rings.StartSession()) Put(before, 9_000, 1);
        bytes.Position = 0;
        Assert.Equal(model.Count, await rings.Analytics.ImportAsync<CounterOperations.Upsert>(bytes));
        var expected = new SortedDictionary<long, long?>(model) { [9_000] = 1 };
        Assert.Equal(expected, await LiveAsync(rings));

        using HotRingStore warm = Open();
        await using FasterStore back = await AnalyticsStores.InMemoryAsync();
        var second = new MemoryStream();
        Assert.Equal(expected.Count, await rings.Analytics.ExportAsync(second));
        second.Position = 0;
        Assert.Equal(expected.Count, await warm.Analytics.ImportAsync<CounterOperations.Upsert>(second));
        Assert.Equal(expected, await LiveAsync(warm));
        System.IO.Pipelines.PipeReader reader = warm.Analytics.OpenReader();
        _ = await back.Analytics.ImportAsync<CounterOperations.Upsert>(reader);
        await reader.CompleteAsync();
        Assert.Equal(expected, await back.LiveAsync());
    });

    [Fact]
    public Task Deletions_of_an_export_delete() => Guard.RunAsync(async () =>
    {
        await using FasterStore source = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = source.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, 300, 10_000, 4);
        using HotRingStore rings = Open();
        using (HotRingSession before = rings.StartSession())
            for (long key = 0; key < 300; key++) Put(before, key, -1);
        var bytes = new MemoryStream();
        _ = await source.Analytics.ExportAsync(bytes, new ScanOptions { Scope = ScanScope.All });
        bytes.Position = 0;
        _ = await rings.Analytics.ImportAsync<CounterOperations.Upsert>(bytes);
        Assert.Equal(model, await LiveAsync(rings));
    });

    [Fact]
    public Task A_ring_longer_than_a_copy_is_scanned_in_parts() => Guard.RunAsync(async () =>
    {
        const int Count = 40_000; // 16 rings of 60 KiB of copies each
        using HotRingStore rings = Open();
        using HotRingSession session = rings.StartSession();
        for (long key = 0; key < Count; key++) Put(session, key, -key);
        SortedDictionary<long, long?> live = await LiveAsync(rings);
        Assert.Equal(Count, live.Count);
        Assert.All(live, static pair => Assert.Equal(-pair.Key, pair.Value));
    });

    [Fact]
    public Task A_scan_beside_updates_and_rehashes_returns_what_stays_once() => Guard.RunAsync(async () =>
    {
        const int Staying = 2_000, Coming = 500;
        using var rings = new HotRingStore(
            new HotRingOptions { Buckets = 16, MaxAccesses = 2, HotspotInterval = 1 }, CounterOperations.Schema);
        using (HotRingSession session = rings.StartSession())
            for (long key = 0; key < Staying; key++) Put(session, key, key);
        bool stop = false;
        Task[] writers = [Task.Run(() => Churn(1)), Task.Run(() => Churn(2))];
        do
        {
            SortedDictionary<long, long?> live = await LiveAsync(rings);
            for (long key = 0; key < Staying; key++) Assert.Equal(key, live[key] % Staying);
        }
        while (rings.Statistics.Rehashes < 4);

        Volatile.Write(ref stop, true);
        await Task.WhenAll(writers);
        Assert.Null(rings.Statistics.LastFault);

        void Churn(int seed)
        {
            using HotRingSession session = rings.StartSession();
            var random = new Random(seed);
            while (!Volatile.Read(ref stop))
            {
                long key = random.Next(Staying + Coming);
                if (key < Staying) Put(session, key, key + (Staying * random.Next(9)));
                else if (random.Next(2) == 0) Put(session, key, key);
                else Remove(session, key);
            }
        }
    });

    [Fact]
    public Task Capabilities_that_the_engine_lacks_are_refused() => Guard.RunAsync(async () =>
    {
        HotRingStore rings = Open();
        Assert.Throws<NotSupportedException>(() => rings.Analytics.ScanAsync(
            new ScanOptions { Scope = ScanScope.All }, AnalyticsStores.Pair));
        await using FasterStore source = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = source.StartSession();
        session.TimeToLive = TimeSpan.FromHours(1);
        session.Put(1, 1);
        var bytes = new MemoryStream();
        _ = await source.Analytics.ExportAsync(bytes);
        bytes.Position = 0;
        NotSupportedException refused = await Assert.ThrowsAsync<NotSupportedException>(
            () => rings.Analytics.ImportAsync<CounterOperations.Upsert>(bytes));
        Assert.Contains("expire", refused.Message, StringComparison.Ordinal);
        Assert.Empty(await LiveAsync(rings));

        using (HotRingSession other = rings.StartSession())
            for (long key = 0; key < 20_000; key++) Put(other, key, key);
        await using IAsyncEnumerator<(long Key, long? Value)> scan =
            rings.Analytics.ScanAsync(null, AnalyticsStores.Pair).GetAsyncEnumerator();
        Assert.True(await scan.MoveNextAsync());
        await rings.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
        {
            while (await scan.MoveNextAsync()) { }
        });
    });

    private static HotRingStore Open() => new(
        new HotRingOptions { Buckets = 16, MaxAccesses = double.PositiveInfinity }, CounterOperations.Schema);

    private static void Put(HotRingSession session, long key, long value)
    {
        var put = new ProbedOperations.Put<SwapShape>(value, 8);
        Assert.Equal(Status.Ok, session.Upsert(CounterOperations.Key(key), ref put));
    }

    private static void Remove(HotRingSession session, long key)
    {
        var remove = default(ProbedOperations.Remove<SwapShape>);
        _ = session.Delete(CounterOperations.Key(key), ref remove);
    }

    private static async Task<SortedDictionary<long, long?>> LiveAsync(HotRingStore store)
    {
        var live = new SortedDictionary<long, long?>(); // which refuses a key that comes twice
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
            live.Add(key, value);
        return live;
    }
}
