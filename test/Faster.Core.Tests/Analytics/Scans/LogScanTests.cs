using System.Buffers;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Epochs;
using Faster.Log.Records;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Analytics.Scans;

public sealed class LogScanTests
{
    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, 100)]
    [InlineData(RecordAllocatorKind.Hybrid, 60_000)]
    [InlineData(RecordAllocatorKind.AppendOnly, 60_000)]
    public async Task Records_come_in_order_without_the_invalid_ones_and_the_gaps(RecordAllocatorKind kind, int count)
    {
        await using FasterStore store = await Open(kind);
        using FasterSession session = store.StartSession();
        var expected = new List<(long Key, long? Value)>();
        for (long key = 0; key < count; key++)
        {
            session.Put(key, key * 3);
            expected.Add((key, key * 3));
            if (key % 1000 == 7) Strew(store);
        }

        using LogScan scan = store.ScanLog();
        Assert.Equal(expected, All(scan));
        Assert.False(scan.MoveNext());
        Assert.Equal(count > 50_000, store.Statistics.DiskReads > 0);
    }

    [Fact]
    public async Task Tombstones_have_keys_and_no_values()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.AppendOnly);
        using FasterSession session = store.StartSession();
        session.Put(1, 10);
        session.Put(2, 20);
        _ = session.Remove(1);
        session.Put(1, 11);
        using LogScan scan = store.ScanLog();
        Assert.Equal([(1, 10), (2, 20), (1, null), (1, 11)], All(scan));
    }

    [Fact]
    public async Task Writes_after_the_start_are_not_seen()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid);
        using FasterSession session = store.StartSession();
        session.Put(1, 10);
        session.Put(2, 20);
        using LogScan scan = store.ScanLog();
        session.AddTo(1, 5);
        session.Put(3, 30);
        Assert.Equal([(1, 10), (2, 20)], All(scan));
        Assert.Equal(15, session.Get(1));
        using LogScan second = store.ScanLog();
        Assert.Equal([(1, 10), (2, 20), (1, 15), (3, 30)], All(second));
    }

    [Fact]
    public async Task An_empty_log_and_an_ended_scan_say_so()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid);
        LogScan scan = store.ScanLog();
        Assert.False(scan.MoveNext());
        scan.Dispose();
        scan.Dispose();
        Assert.Throws<ObjectDisposedException>(() => scan.MoveNext());
    }

    [Fact]
    public async Task A_scan_that_outlives_its_store_says_so()
    {
        FasterStore store = await Open(RecordAllocatorKind.Hybrid);
        using (FasterSession session = store.StartSession())
            for (long key = 0; key < 60_000; key++) session.Put(key, key * 3);
        LogScan scan = store.ScanLog();
        Assert.True(scan.MoveNext());
        await store.DisposeAsync();
        Assert.Equal(0, BitConverter.ToInt64(scan.Value)); // what it has it has
        Assert.Throws<ObjectDisposedException>(() => All(scan));
        scan.Dispose();
    }

    [Fact]
    public async Task A_large_value_that_outlives_its_store_says_so()
    {
        FasterStore store = await LargeStore.OpenAsync();
        using (FasterSession session = store.StartSession())
            session.PutBytes(1, LargeStore.Value(3 * LargeStore.Page, 1));
        using LogScan scan = store.ScanLog();
        Assert.True(scan.MoveNext() && scan.IsLarge);
        await store.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => scan.Value.Length);
        Assert.Throws<ObjectDisposedException>(() => scan.CopyValueTo(new ArrayBufferWriter<byte>()));
    }

    [Fact]
    public async Task A_part_that_is_truncated_while_it_is_scanned_is_released_after_the_scan()
    {
        await using FasterStore store = await Open(RecordAllocatorKind.Hybrid);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < 200_000; key++) session.Put(key, key * 3);
        long before = store.Statistics.DiskBytes;
        using (LogScan scan = store.ScanLog())
        {
            Assert.True(scan.MoveNext());
            await store.TruncateAsync(store.Log.HeadAddress);
            Assert.Equal(199_999, All(scan).Count);
            Assert.True(store.Statistics.DiskBytes >= before);
        }

        Assert.True(
            SpinWait.SpinUntil(() => store.Statistics.DiskBytes < before / 2, TestBudget.StallTimeout),
            $"{store.Statistics.DiskBytes} of {before} bytes are there.");
    }

    private static List<(long Key, long? Value)> All(LogScan scan)
    {
        var all = new List<(long, long?)>();
        while (scan.MoveNext())
            all.Add((BitConverter.ToInt64(scan.Key), scan.IsTombstone ? null : BitConverter.ToInt64(scan.Value)));
        return all;
    }

    // A record that was never linked, and space that was never used.
    private static unsafe void Strew(FasterStore store)
    {
        EpochSlot* slot = store.Epochs.Acquire("a test");
        foreach (int size in new[] { 24, 8, 24, 16 })
        {
            for (bool taken = false; !taken;)
            {
                store.Epochs.Enter(slot);
                taken = store.Log.TryAllocate(null, size, out long address);
                if (taken && size == 24)
                {
                    byte* record = store.Log.Pointer(address);
                    *(long*)(record + 8) = -1;
                    RecordHeader.Write(record, RecordHeader.Make(0));
                    store.Log.Free(null, address, size, everLinked: false);
                }

                store.Epochs.Leave(slot);
                if (!taken) store.Log.WaitForSpace();
            }
        }

        store.Epochs.Release(slot);
    }

    private static async Task<FasterStore> Open(RecordAllocatorKind kind)
    {
        var options = new StoreOptions
        {
            Allocator = kind, MemoryBudget = ByteSize.MiB(1), Device = new MemoryDevice(),
        };
        return await FasterStore.OpenAsync(null, options, CounterOperations.Schema, default);
    }
}
