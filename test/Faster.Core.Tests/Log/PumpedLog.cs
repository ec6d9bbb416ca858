using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Tests.Log;

/// <summary>A hybrid log with its flusher over a device, whose completions are taken when the test says so.</summary>
/// <remarks>One thread. Pages of 4 KiB, records of an 8-byte key and a value that varies.</remarks>
internal sealed unsafe class PumpedLog : IDisposable
{
    public const int PageBits = 12;
    public const ulong Identity = 0x1122334455667788;

    private readonly IORequest[] _completed = new IORequest[16];
    private readonly EpochSlot* _slot;

    public PumpedLog(Device device, int residentPages = 8, int partBytes = 4096, int parts = 2)
    {
        Storage = new LogStorage(device, new BlockGeometry(PageBits), new BlockIdentity(Identity, 1));
        Flusher = new PageFlusher(Storage, partBytes, parts);
        var shape = new LogShape(Schema, Seed, PageBits, residentPages, 0.5);
        Log = new HybridLog(Epochs, Flusher, shape);
        Flusher.Attach(Log);
        _slot = Epochs.Acquire("a test");
    }

    public static RecordSchema Schema { get; } = new(8, 8, 0, "long", "bytes");

    public static HashSeed Seed { get; } = new(3, 5);

    public EpochTable Epochs { get; } = new();

    public LogStorage Storage { get; }

    public PageFlusher Flusher { get; }

    public HybridLog Log { get; }

    /// <summary>Appends a record whose value is made of its key.</summary>
    /// <returns>Its address, or 0 where there is no space.</returns>
    public long TryAppend(long key, int valueBytes, long previous = 0, long version = 1, ulong flags = 0)
    {
        int capacity = RecordLayout.AlignUp(valueBytes);
        Epochs.Enter(_slot);
        bool taken = Log.TryAllocate(null, 24 + capacity, out long address);
        if (taken)
        {
            byte* record = Log.Pointer(address);
            *(long*)(record + 8) = key;
            *(int*)(record + 16) = valueBytes;
            *(int*)(record + 20) = capacity;
            for (int i = 0; i < valueBytes; i++) record[24 + i] = (byte)(key + i);
            RecordHeader.Write(record, (ulong)previous | RecordHeader.VersionBits(version) | flags);
        }

        Epochs.Leave(_slot);
        return taken ? address : 0;
    }

    /// <summary>Appends a chain-join record of the chains of two adjacent buckets of a larger index.</summary>
    /// <param name="left">The chain of bucket 2b of the larger index.</param>
    /// <param name="right">The chain of bucket 2b + 1.</param>
    /// <param name="bucket">b.</param>
    /// <param name="bucketCount">How many buckets the larger index had.</param>
    public long AppendMerge(long left, long right, long bucket, long bucketCount)
    {
        Epochs.Enter(_slot);
        Assert.True(Log.TryAllocate(null, ChainJoinRecord.Size, out long address));
        byte* record = Log.Pointer(address);
        ChainJoinRecord.Write(record, right, HashBits.HashOf(bucket, bucketCount / 2, tag: 0), bucketCount);
        RecordHeader.Write(record, RecordHeader.Make(left, RecordHeader.ChainJoin));
        Epochs.Leave(_slot);
        return address;
    }

    /// <summary>Appends a record, flushing until there is space.</summary>
    public long Append(long key, int valueBytes, long previous = 0, long version = 1, ulong flags = 0)
    {
        for (;;)
        {
            long address = TryAppend(key, valueBytes, previous, version, flags);
            if (address != 0) return address;
            Assert.True(TakeTurn() || Storage.Device.Wait(TimeSpan.Zero), "There is no space, and nothing to flush.");
        }
    }

    /// <summary>One turn of what the store's I/O thread does.</summary>
    public bool TakeTurn()
    {
        int count = Storage.Device.Poll(_completed);
        for (int i = 0; i < count; i++) ((LogRequest)_completed[i]).OnCompleted();
        return Flusher.TryStep() | count != 0;
    }

    /// <summary>Turns until nothing moves, or writes fail.</summary>
    public void PumpAll()
    {
        while (TakeTurn() || Storage.Device.Wait(TimeSpan.Zero)) { }
    }

    /// <summary>Shifts ReadOnly to the tail and waits until everything is on the device.</summary>
    public long FlushAll()
    {
        long end = Log.ShiftReadOnlyToTail();
        PumpAll();
        Assert.Equal(end, Log.FlushedUntilAddress);
        return end;
    }

    /// <summary>The bytes of the log as the device has them.</summary>
    public byte[] ReadBack(long address, int length)
    {
        BlockGeometry geometry = Storage.Geometry;
        BlockExtent extent = geometry.Map(address, length, Storage.Device.SectorSize);
        byte[] bytes = GC.AllocateArray<byte>(extent.Length + 4096, pinned: true);
        fixed (byte* start = bytes)
        {
            byte* buffer = (byte*)(((nint)start + 4095) & ~(nint)4095);
            var read = new IORequest
            {
                Kind = IOKind.Read, Offset = extent.Offset, Length = extent.Length, Buffer = buffer,
            };
            Storage.Device.Submit([read]);
            while (Storage.Device.Poll(_completed) == 0) Storage.Device.Wait(TimeSpan.FromSeconds(1));
            if (read.Error is not null) throw read.Error;
            Storage.Decode(extent.FirstBlock, extent.BlockCount, buffer + extent.BlocksAt, buffer);
            return new ReadOnlySpan<byte>(buffer + extent.Skip, length).ToArray();
        }
    }

    public void Dispose()
    {
        Epochs.Release(_slot);
        Log.Dispose();
        Flusher.Dispose();
    }
}
