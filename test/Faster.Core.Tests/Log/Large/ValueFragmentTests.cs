using System.Buffers;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Log.Large;

/// <summary>The bytes of heads and fragments, how walkers step over fragments, and how a writer fills pages.</summary>
public sealed class ValueFragmentTests
{
    private static readonly RecordLayout Varying = new(new RecordSchema(0, 0, 0, "", ""));

    [Fact]
    public unsafe void A_chunk_is_laid_out_as_the_format_says()
    {
        var bytes = new byte[32];
        fixed (byte* record = bytes)
        {
            ValueFragment.Write(record, RecordHeader.VersionBits(4), 5, new FragmentPlace(0x1122334455, 77), 9);
            Assert.Equal(0x41_05_00_00_00_00_00_00UL, *(ulong*)record);
            Assert.Equal(0x1122334455, *(long*)(record + 8));
            Assert.Equal((5, 77), (*(int*)(record + 16), *(int*)(record + 20)));
            Assert.True(ValueFragment.TryRead(record, new FragmentPlace(0x2222334455, 5), out FragmentPlace next));
            Assert.Equal(new FragmentPlace(0x1122334455, 77), next);
            Assert.False(ValueFragment.TryRead(record, new FragmentPlace(0x2222334455, 6), out _)); // another length
            Assert.False(ValueFragment.TryRead(record, new FragmentPlace(0x1122334455, 5),
                out _)); // not above the next
            Assert.False(ValueFragment.IsLast(record, out _));
            Assert.Equal((32, 32), (Varying.RecordSize(record), Varying.TrySize(record, 24, 4096)));
            for (int available = 8; available < 24; available++)
                Assert.Equal(24, Varying.TrySize(record, available, 4096));
            ValueFragment.Write(record, RecordHeader.VersionBits(4), 5, default, 0xFEDCBA9876543210);
            Assert.Equal((0xFEDCBA9876543210, 0), (*(ulong*)(record + 8), *(int*)(record + 20)));
            Assert.True(ValueFragment.IsLast(record, out ulong hash));
            Assert.Equal(0xFEDCBA9876543210, hash);
            Assert.True(ValueFragment.TryRead(record, new FragmentPlace(0x2222334455, 5), out next));
            Assert.Equal(default, next);
            *(uint*)(record + 16) = 5000;
            Assert.True(Varying.TrySize(record, 24, 4096) < 0);
        }
    }

    [Fact]
    public void A_head_is_laid_out_as_the_format_says()
    {
        var head = new LargeHead(0x123456789A, 800, 200, 55);
        var bytes = new byte[LargeHead.Size];
        head.WriteTo(bytes);
        Assert.Equal(0x123456789A, BitConverter.ToInt64(bytes));
        Assert.Equal((800, 200), (BitConverter.ToInt64(bytes, 8), BitConverter.ToInt64(bytes, 16)));
        Assert.Equal((55, 0), (BitConverter.ToInt32(bytes, 24), BitConverter.ToInt32(bytes, 28)));
        Assert.Equal(head, LargeHead.Read(bytes));
        Assert.True(head.IsSound(801));
        Assert.False(head.IsSound(800));
        Assert.False((head with { Lowest = 0 }).IsSound(801));
        Assert.False((head with { FirstLength = 0 }).IsSound(801));
        Assert.False(LargeHead.Read(bytes.AsSpan(0, 31)).IsSound(801));
    }

    [Fact]
    public void A_record_with_a_key_never_looks_like_a_chunk()
    {
        ulong header = RecordHeader.Make(64, RecordHeader.Large);
        Assert.False(ValueFragment.Is(header));
        Assert.False(ValueFragment.Is(RecordHeader.Invalidated(header)));
        Assert.Equal(RecordHeader.Make(64, RecordHeader.Invalid), RecordHeader.Invalidated(header));
    }

    [Fact]
    public async Task Chunks_fill_the_pages_that_small_records_leave_and_a_walk_steps_over_them()
    {
        await using FasterStore store = await LargeStore.OpenAsync();
        byte[] value = LargeStore.Value(300_000, 1);
        var rest = new ReadOnlySequence<byte>(value);
        long records = 0;
        using (FragmentWriter writer = store.Tier.WriteFragments(0))
        {
            for (; rest.Length > 0; records++)
            {
                Append(store);
                int taken = writer.TryPrepend(rest);
                Assert.True(taken > 0);
                rest = rest.Slice(0, rest.Length - taken);
            }

            Assert.Equal(value.Length, writer.Head.Length);
            Assert.True(writer.Head.IsSound(store.Log.TailAddress));
        }

        long used = store.Log.TailAddress - PagedLog.FirstAddress;
        Assert.InRange(used, value.Length, value.Length * 1.05);
        using LogScan scan = store.ScanLog();
        for (long i = 0; i < records; i++) Assert.True(scan.MoveNext());
        Assert.False(scan.MoveNext());
    }

    [Fact]
    public void The_lowest_pin_counts_and_each_is_given_back_once()
    {
        var pins = new LogPins();
        Assert.Equal(long.MaxValue, pins.LowestPinned);
        LogPins.Pin high = pins.Take(900), low = pins.Take(100), same = pins.Take(100);
        Assert.Equal(100, pins.LowestPinned);
        low.Dispose();
        low.Dispose();
        Assert.Equal(100, pins.LowestPinned);
        same.Dispose();
        Assert.Equal(900, pins.LowestPinned);
        high.Dispose();
        Assert.Equal(long.MaxValue, pins.LowestPinned);
    }

    [Fact]
    public Task Nothing_that_is_pinned_is_given_back() => Guard.RunAsync(async () =>
    {
        const long Least = 100_000;
        var pins = new LogPins();
        long begin = 0, given = 0, held = 0;
        bool isOver = false;
        Task[] readers = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                long address = Volatile.Read(ref begin);
                using LogPins.Pin pin = pins.Take(address);
                if (Volatile.Read(ref begin) > address) continue;
                Interlocked.Increment(ref held);
                for (int look = 0; look < 20; look++) Assert.True(Volatile.Read(ref given) <= address);
            }
        }))];
        Task failed = Task.WhenAny(readers);

        // A reader that loses its core keeps its pin for a time slice: no number of steps alone shows both.
        bool IsShown() => given != 0 && Volatile.Read(ref held) != 0;
        for (long next = 1; (next <= Least || !IsShown()) && !failed.IsCompleted; next++)
        {
            Volatile.Write(ref begin, next);
            if (pins.LowestPinned >= next) Volatile.Write(ref given, next);
            else if (next > Least) await Task.Yield();
        }

        Volatile.Write(ref isOver, true);
        await Task.WhenAll(readers);
    });

    // A record with a key of four bytes and no value.
    private static unsafe void Append(FasterStore store)
    {
        EpochSlot* slot = store.Epochs.Acquire("a test");
        store.Epochs.Enter(slot);
        Assert.True(store.Log.TryAllocate(null, 24, out long address));
        byte* record = store.Log.Pointer(address);
        *(int*)(record + 8) = 4;
        RecordHeader.Write(record, RecordHeader.Make(0));
        store.Epochs.Leave(slot);
        store.Epochs.Release(slot);
    }
}
