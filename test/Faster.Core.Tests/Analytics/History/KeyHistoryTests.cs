using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Engines;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Analytics.History;

public sealed class KeyHistoryTests
{
    [Fact]
    public Task It_goes_back_over_memory_and_disk_deletions_and_recoveries() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var expected = new Stack<(long? Value, long Version)>();
        long version = 0;
        for (int process = 0; process < 3; process++)
        {
            await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
            await using FasterSession session = store.StartSession();
            for (int round = 0; round < 6; round++)
            {
                version++;
                if (round == 3) _ = session.Remove(7);
                else session.Put(7, version);
                expected.Push((round == 3 ? null : version, version));
                for (long other = 100; other < 4_000; other++) session.Put(other, version);
                Assert.Equal(version, (await store.CommitAsync()).Version);
                Assert.Equal(expected, await HistoryAsync(store, 7));
            }

            session.Put(7, -1); // is lost
            _ = await store.ShiftReadOnlyAsync();
            Assert.Equal([(-1, version + 1), .. expected], await HistoryAsync(store, 7));
            Assert.Empty(await HistoryAsync(store, 8));
        }
    });

    [Fact]
    public Task A_key_that_is_moved_meanwhile_is_not_taken_for_absent() => Guard.RunAsync(async () =>
    {
        var held = new HeldReads(new MemoryDevice());
        await using FasterStore store = await GarbageStore.OpenAsync(null, GarbageStore.Small with { Device = held });
        using FasterSession session = store.StartSession();
        session.Put(5, 15);
        _ = await store.ShiftReadOnlyAsync(); // alone in its block: nothing else reads it
        session.Fill(6, 30_000);
        held.Hold(BlockFormat.BlockSize); // not what the chain has before it: compaction may read that, too
        await using IAsyncEnumerator<RecordVersion<(long, long?)>> history =
            store.Analytics.HistoryAsync(CounterOperations.Key(5), AnalyticsStores.Pair).GetAsyncEnumerator();
        ValueTask<bool> newest = history.MoveNextAsync();
        await held.HoldOneAsync();
        _ = await store.CompactAsync(10 * 4096);
        held.Release(); // below the begin by now: the device refuses
        Assert.True(await newest);
        Assert.Equal((5, 15), history.Current.Record);
        Assert.True(history.Current.Address >= store.Statistics.BeginAddress);
        Assert.False(await history.MoveNextAsync());
    });

    [Fact]
    public Task It_ends_where_the_log_begins() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await using FasterSession session = store.StartSession();
        session.Put(1, 1);
        session.Put(2, 1);
        long end = await store.ShiftReadOnlyAsync();
        session.Put(1, 2);
        Assert.Equal(2, (await HistoryAsync(store, 1)).Count);
        store.Analytics.Source.Log.RaiseBegin(end);
        Assert.Equal([(2, 1)], await HistoryAsync(store, 1));
        Assert.Empty(await HistoryAsync(store, 2));
    });

    [Fact]
    public Task Long_values_are_whole_while_they_are_updated() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await AnalyticsStores.BytesInMemoryAsync();
        using var stop = new CancellationTokenSource();
        Task writer = Task.Run(() =>
        {
            using FasterSession session = store.StartSession();
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                byte[] value = new byte[64 + (i % 8 * 8)];
                Array.Fill(value, (byte)i);
                session.PutBytes(5, value);
            }
        });
        int seen = 0;
        while (seen < TestBudget.Times(2_000))
        {
            await foreach (RecordVersion<RawRecord> past in store.Analytics.HistoryAsync(
                new BytesKey(BitConverter.GetBytes(5)), RawRecord.Copy))
            {
                byte[] value = past.Record.Value!;
                Assert.All(value, b => Assert.Equal(value[0], b));
                Assert.Equal(64 + (value[0] % 8 * 8), value.Length);
                seen++;
            }
        }

        await stop.CancelAsync();
        await writer;
    });

    private static async Task<List<(long?, long)>> HistoryAsync(FasterStore store, long key)
    {
        var history = new List<(long?, long)>();
        long last = long.MaxValue;
        await foreach (RecordVersion<(long Key, long? Value)> past in store.Analytics.HistoryAsync(
            CounterOperations.Key(key), AnalyticsStores.Pair))
        {
            Assert.Equal(key, past.Record.Key);
            Assert.True(past.Address < last);
            last = past.Address;
            history.Add((past.Record.Value, past.Version));
        }

        return history;
    }
}
