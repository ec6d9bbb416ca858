using Faster.Conformance.Engines.FasterStore;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Tests;

/// <summary>Deltas that fit a page make a value that does not when compaction or a scan merges them.</summary>
public sealed class MergedValuesOutgrowPages
{
    private const int Keys = 20, Parts = 6, PartBytes = 1500;

    [Fact]
    public async Task Parts_become_a_value_larger_than_a_page()
    {
        await using MergedAppenders.Store store = await MergedAppenders.OpenAsync(null, new StoreOptions
        {
            MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), ReadCacheFraction = 0,
        });
        await using MergedAppenders.Session session = store.StartSession();
        for (int part = 0; part < Parts; part++)
        {
            for (int key = 0; key < Keys; key++) await session.RmwAsync(KeyOf(key), PartOf(key, part));
            await SpillAsync(session, part);
        }

        Assert.True(store.Statistics.DeltasAppended >= Keys * (Parts - 2), store.Statistics.ToString());
        await CheckAsync(store);
        _ = await store.CompactAsync(store.Statistics.BeginAddress + (Keys * 4096)); // each key's first delta, at least
        Assert.True(store.Statistics.DeltasCollapsed >= Keys * (Parts - 2), store.Statistics.ToString());
        await CheckAsync(store);
        for (int key = 0; key < Keys; key++)
            Assert.Equal(Whole(key), (await session.ReadAsync(KeyOf(key))).Value);
    }

    private static async Task CheckAsync(MergedAppenders.Store store)
    {
        int found = 0;
        await foreach (MergedAppenders.Record record in store.ScanAsync())
        {
            if (record.Key.Length != sizeof(int)) continue;
            Assert.Equal(Whole(BitConverter.ToInt32(record.Key)), record.Value);
            Assert.False(record.IsDelta);
            found++;
        }

        Assert.Equal(Keys, found);
    }

    private static async Task SpillAsync(MergedAppenders.Session session, int part)
    {
        byte[] filling = new byte[1000];
        for (int i = 0; i < 600; i++) await session.UpsertAsync(BitConverter.GetBytes((long)(part * 600) + i), filling);
    }

    private static byte[] KeyOf(int key) => BitConverter.GetBytes(key);

    private static byte[] Whole(int key) => [.. Enumerable.Range(0, Parts).SelectMany(part => PartOf(key, part))];

    private static byte[] PartOf(int key, int part)
    {
        byte[] bytes = new byte[PartBytes];
        Array.Fill(bytes, (byte)((key * Parts) + part + 1));
        return bytes;
    }
}
