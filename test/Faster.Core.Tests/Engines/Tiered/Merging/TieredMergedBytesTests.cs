using System.Buffers;
using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Operations.Large;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using Faster.Tests.Operations.Merging;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Engines.Tiered.Merging;

/// <summary>
/// Bytes that are appended to and merge: a delta in the wrong place would show, and so would a part of a value that is
/// larger than a page.
/// </summary>
public sealed class TieredMergedBytesTests : IDisposable
{
    private const int Keys = 60;

    private static readonly RecordSchema Schema = BytesOperations.Schema with
    {
        Merger = static (_, older, newer, merged) => MergedBytesOperations.Join(older, newer, merged),
    };

    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = new ByteSize(Page), ReadCacheFraction = 0,
        HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 1_000, ExpectedHotKeys = 1_000, CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0, 1)]
    [InlineData(0.5, 3)]
    public Task Appends_keep_their_order_wherever_they_move(double cache, int threads) => Guard.RunAsync(async () =>
    {
        var random = new Random(threads);
        var model = new Dictionary<int, byte[]>();
        TieredOptions options = Small with { ReadCacheFraction = cache, CompactionThreads = threads };
        for (int life = 0; life < 2; life++)
        {
            await using TieredStore store = await OpenAsync(options, Schema);
            using TieredSession session = store.StartSession();
            for (int step = 0; step < TestBudget.Times(1_500); step++)
            {
                Change(session, model, random);
                if (step % 50 == 49) await SendAllToDiskAsync(store);
                if (step % 100 == 99) _ = await MergingTiers.CompactHotAsync(store, random.Next(3, 11));
                if (step % 150 == 149) _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
                int key = random.Next(Keys);
                Assert.Equal(model.GetValueOrDefault(key), session.ReadMerged(key));
                if (step % 500 == 250) await CheckScanAsync(store, model);
            }

            for (int key = 0; key < Keys; key++) Assert.Equal(model.GetValueOrDefault(key), session.ReadMerged(key));
            Assert.True(store.Statistics.DeltasAppended > 300, store.Statistics.ToString());
            Assert.True(store.Statistics.DeltasCollapsed > 200, store.Statistics.ToString());
            Assert.True(store.Cold.Log.BeginAddress > PagedLog.FirstAddress, "Nothing was compacted.");
            Assert.Null(store.Statistics.LastFault);
            _ = await store.CommitAsync();
            await CheckScanAsync(store, model);
        }
    });

    // The record lies above the part with which its value has moved, and an older one lies between.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task A_value_that_has_moved_before_its_record_is_a_base_below(bool isOnDisk) => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync(Small with { HotLogSize = ByteSize.MiB(64) }, Schema);
        using TieredSession session = store.StartSession();
        var write = new LargeWrite(new ReadOnlySequence<byte>(Value(9_000, 1)));
        write.Write(store.Hot, new BytesKey(BitConverter.GetBytes(1)).Hash(store.Hot.Seed));
        session.PutBytes(1, [1, 2, 3]);
        session.PutPrepared(1, write);
        session.PutBytes(2, Value(9_000, 2));
        var model = new Dictionary<int, byte[]> { [1] = Value(9_000, 1), [2] = Value(9_000, 2) };
        _ = await store.CompactHotAsync(store.Hot.PagedLog!.PageStartOf(write.Head.Lowest) + Page);
        Assert.Equal(model[1], session.ReadMerged(1));
        if (isOnDisk) await SendAllToDiskAsync(store);
        else store.Hot.PagedLog!.ShiftReadOnlyToTail();
        for (byte part = 5; part < 8; part++)
        {
            session.AppendMerged(1, [part]);
            model[1] = [.. model[1], part];
            if (isOnDisk) await SendAllToDiskAsync(store);
            Assert.Equal(model[1], session.ReadMerged(1));
            await CheckScanAsync(store, model);
        }

        Assert.True(store.Statistics.DeltasAppended > 0 || !isOnDisk, store.Statistics.ToString());
        for (int i = 0; i < 2; i++)
        {
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            Assert.Equal(model[1], session.ReadMerged(1));
            await CheckScanAsync(store, model);
        }
    });

    // The whole values were written by a class that had no merger, and expire.
    [Theory]
    [InlineData(100)]
    [InlineData(9_000)]
    public Task A_base_that_expires_leaves_its_deltas_behind(int length) => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        TieredOptions options = Small with { TimeProvider = time, HotLogSize = ByteSize.MiB(64) };
        byte[] old = Value(length, 1), part = Value(20, 2), more = Value(30, 3);
        await using (TieredStore before = await OpenAsync(options, BytesOperations.Schema))
        {
            using TieredSession session = before.StartSession();
            session.TimeToLive = TimeSpan.FromSeconds(10);
            for (int key = 0; key < 4; key++) session.PutBytes(key, old);
            await SendAllToDiskAsync(before);
            _ = await before.CompactHotAsync(before.Hot.Log.HeadAddress);
            await SendAllToDiskAsync(before);
            _ = await before.CommitAsync();
        }

        await using TieredStore store = await OpenAsync(options, Schema);
        using TieredSession now = store.StartSession();
        await MergingTiers.SendToDiskAsync(store, store.Cold);
        for (int key = 0; key < 4; key++) now.AppendMerged(key, part);
        Assert.Equal(4, store.Statistics.DeltasAppended);
        for (int key = 0; key < 4; key++) Assert.Equal((byte[])[.. old, .. part], now.ReadMerged(key));
        await MergingTiers.SendToDiskAsync(store, store.Hot);
        now.AppendMerged(3, more);
        for (int key = 0; key < 2; key++) now.PutBytes(key + 100, part);
        time.Advance(11_000);
        for (int key = 0; key < 3; key++) Assert.Equal(part, now.ReadMerged(key));
        Assert.Equal((byte[])[.. part, .. more], now.ReadMerged(3));
        for (int i = 0; i < 2; i++) _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        for (int key = 0; key < 3; key++) Assert.Equal(part, now.ReadMerged(key));
        Assert.Equal((byte[])[.. part, .. more], now.ReadMerged(3));
        Assert.Null(store.Statistics.LastFault);
    });

    private static async Task SendAllToDiskAsync(TieredStore store)
    {
        await MergingTiers.SendToDiskAsync(store, store.Hot);
        await MergingTiers.SendToDiskAsync(store, store.Cold);
    }

    private static void Change(TieredSession session, Dictionary<int, byte[]> model, Random random)
    {
        int key = random.Next(Keys);
        byte[] value = Value((int)Math.Pow(random.Next(8) == 0 ? 12_000 : 1_500, random.NextDouble()), random.Next());
        byte[] old = model.GetValueOrDefault(key, []);
        switch (random.Next(12))
        {
            case 0:
                _ = session.RemoveBytes(key);
                model.Remove(key);
                break;
            case 1:
                session.PutBytes(key, model[key] = value);
                break;
            default:
                if (value.Length > 2_000) value = value[..2_000]; // a delta must fit a page
                session.AppendMerged(key, value);
                model[key] = [.. old, .. value];
                break;
        }
    }

    private static async Task CheckScanAsync(TieredStore store, Dictionary<int, byte[]> model)
    {
        int found = 0;
        await foreach ((int key, byte[] value) in store.Analytics.ScanAsync(
            null, static record => (BitConverter.ToInt32(record.Key), record.Value.ToArray())))
        {
            Assert.Equal(model.GetValueOrDefault(key), value);
            found++;
        }

        Assert.Equal(model.Count, found);
    }

    private ValueTask<TieredStore> OpenAsync(TieredOptions options, RecordSchema schema) =>
        TieredStore.OpenAsync(_folder.Path, options, schema, CancellationToken.None);
}
