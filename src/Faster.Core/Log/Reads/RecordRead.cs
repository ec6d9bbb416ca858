using Faster.Devices.Blocks;
using Faster.Log.Records;

namespace Faster.Log.Reads;

/// <summary>The read of one record, which may share its blocks with others. Reusable; one owner at a time.</summary>
internal abstract unsafe class RecordRead
{
    /// <summary>The queue of the read.</summary>
    public ReadQueue Reads { get; set; } = null!;

    /// <summary>The record's address.</summary>
    public long Address { get; set; }

    /// <summary>The number of bytes that are requested from that address on, and later available.</summary>
    public int Available { get; set; }

    /// <summary>Their blocks on the device.</summary>
    public BlockExtent Extent { get; set; }

    /// <summary>The request that has read the record; set during <see cref="OnRead"/>.</summary>
    public BlockRead? Blocks { get; set; }

    /// <summary>The next read that waits for the same blocks.</summary>
    public RecordRead? Next { get; set; }

    /// <summary>Called when the blocks are in memory, or could not be read. Must neither throw nor wait.</summary>
    /// <param name="record">
    /// The record's first byte, 8-byte aligned; valid during the call, or as long as <see cref="Blocks"/> is retained.
    /// </param>
    /// <param name="error">Why there is no record, or null.</param>
    public abstract void OnRead(byte* record, Exception? error);

    /// <summary>Checks that a record begins at the address.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="record">The record.</param>
    /// <returns>The record's size or, when it exceeds <see cref="Available"/>, the length to read next.</returns>
    /// <exception cref="DamagedDataException">There is no record at the address.</exception>
    protected long Examine(LogReader reader, byte* record)
    {
        LogStorage storage = reader.Storage;
        ulong header = RecordHeader.Read(record);
        long size = reader.Layout.TrySize(record, Available, storage.Geometry.PageBytes);
        if (header >> RecordHeader.VersionShift == 0 || !RecordHeader.IsSound(header) || size < 0)
            throw storage.NoRecord(Address, header);
        return size;
    }
}
