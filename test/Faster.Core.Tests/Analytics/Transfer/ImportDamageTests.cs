using Faster.Analytics.Transfer;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Fuzzing;
using Faster.Tests.Operations;

namespace Faster.Tests.Analytics.Transfer;

/// <summary>Exports that are not what was written.</summary>
public sealed class ImportDamageTests
{
    [Fact]
    public Task Every_flipped_bit_and_every_cut_is_refused_with_its_place() => Guard.RunAsync(async () =>
    {
        byte[] good = await ExportAsync(3);
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        Assert.Equal(3, await ImportAsync(store, good));
        for (int bit = 0; bit < good.Length * 8; bit++)
        {
            byte[] bad = [.. good];
            bad[bit / 8] ^= (byte)(1 << (bit % 8));
            DamagedDataException error = await RefusedAsync(store, bad);
            const int head = 60; // is checked as a whole
            Assert.InRange(error.Offset, 0, bit / 8 < head ? bad.Length : bit / 8);
        }

        for (int length = 0; length < good.Length; length++)
        {
            DamagedDataException error = await RefusedAsync(store, good[..length]);
            Assert.Equal(length, error.Offset);
        }

        Assert.Equal(good.Length, (await RefusedAsync(store, [.. good, 0])).Offset);
    });

    [Fact]
    public async Task An_empty_export_has_the_bytes_that_the_formats_page_draws()
    {
        byte[] bytes = await ExportAsync(0);
        Assert.Equal(84, bytes.Length);
        Assert.Equal(
            "4641535445525850010000003C0000000800000008000000080000006C006F006E00670008000000",
            Convert.ToHexString(bytes.AsSpan(0, 40)));
        Assert.Equal("0000000000000000", Convert.ToHexString(bytes.AsSpan(48, 8)));
        Assert.Equal("0000000000000000", Convert.ToHexString(bytes.AsSpan(60, 8)));
        Assert.Equal("0000000000000000", Convert.ToHexString(bytes.AsSpan(72, 8)));
    }

    [Fact]
    public Task Nothing_of_a_damaged_block_is_written() => Guard.RunAsync(async () =>
    {
        byte[] good = await ExportAsync(20_000);
        byte[] bad = [.. good];
        bad[^100] ^= 1;
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        _ = await RefusedAsync(store, bad);
        SortedDictionary<long, long?> found = await store.LiveAsync();
        Assert.InRange(found.Count, 10_000, 19_999); // the blocks before
        Assert.All(found, pair => Assert.Equal(pair.Key * 3, pair.Value));
        Assert.Equal(20_000, await ImportAsync(store, good));
        Assert.Equal(20_000, (await store.LiveAsync()).Count);
    });

    [Fact]
    public Task Other_records_than_the_stores_are_refused() => Guard.RunAsync(async () =>
    {
        await using FasterStore other = await AnalyticsStores.BytesInMemoryAsync();
        var bytes = new MemoryStream();
        Assert.Equal(0, await other.Analytics.ExportAsync(bytes));
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        DamagedDataException error = await RefusedAsync(store, bytes.ToArray());
        Assert.Contains("value there: bytes", error.Message, StringComparison.Ordinal);
        Assert.Contains("value here:  long (8 bytes)", error.Message, StringComparison.Ordinal);
    });

    [Fact]
    public Task Fields_in_another_order_are_refused_and_names_of_types_do_not_matter() => Guard.RunAsync(async () =>
    {
        byte[] exported = await ExportAsync(1, Laid("A", "{ int A; int B; }"));
        await using FasterStore swapped = await AnalyticsStores.InMemoryAsync(Laid("A", "{ int B; int A; }"));
        DamagedDataException error = await RefusedAsync(swapped, exported);
        Assert.Contains("value there: A = { int A; int B; } (8 bytes)", error.Message, StringComparison.Ordinal);
        Assert.Contains("value here:  A = { int B; int A; } (8 bytes)", error.Message, StringComparison.Ordinal);
        await using FasterStore renamed = await AnalyticsStores.InMemoryAsync(Laid("B", "{ int A; int B; }"));
        Assert.Equal(1, await ImportAsync(renamed, exported));

        static RecordSchema Laid(string type, string layout) =>
            new(8, 8, 8, "long", type) { KeyLayout = "long", ValueLayout = layout };
    });

    [Fact]
    public Task Another_version_is_refused_and_both_are_named() => Guard.RunAsync(async () =>
    {
        byte[] bytes = await ExportAsync(1);
        bytes[MetadataReader.VersionAt] = 2;
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        DamagedDataException error = await RefusedAsync(store, bytes);
        Assert.Equal(MetadataReader.VersionAt, error.Offset);
        Assert.Contains("version is 2; this library reads version 1", error.Message, StringComparison.Ordinal);
    });

    [Fact]
    public Task Any_bytes_are_refused_or_are_what_was_written() => Guard.RunAsync(async () =>
    {
        byte[] good = await ExportAsync(200);
        await using FasterStore store = await AnalyticsStores.InMemoryAsync();
        await TestSeed.RunAsync(3_000, async seed =>
        {
            byte[] bytes = Mutator.Mutate(good, new Random(seed));
            if (!bytes.AsSpan().SequenceEqual(good)) _ = await RefusedAsync(store, bytes);
        });

        Assert.All(await store.LiveAsync(), pair => Assert.Equal(pair.Key * 3, pair.Value));
    });

    private static async Task<byte[]> ExportAsync(int keys, RecordSchema? schema = null)
    {
        await using FasterStore store = await AnalyticsStores.InMemoryAsync(schema);
        await using FasterSession session = store.StartSession();
        for (long key = 0; key < keys; key++) session.Put(key, key * 3);
        var bytes = new MemoryStream();
        Assert.Equal(keys, await store.Analytics.ExportAsync(bytes));
        return bytes.ToArray();
    }

    private static Task<long> ImportAsync(FasterStore store, byte[] bytes) =>
        store.Analytics.ImportAsync<CounterOperations.Upsert>(new MemoryStream(bytes));

    private static async Task<DamagedDataException> RefusedAsync(FasterStore store, byte[] bytes)
    {
        var error = await Assert.ThrowsAsync<DamagedDataException>(() => ImportAsync(store, bytes));
        Assert.InRange(error.Offset, 0, bytes.Length);
        Assert.Equal("a stream", error.Path);
        return error;
    }
}
