using Faster.Devices;

namespace Faster.Log;

/// <summary>The read of one record, which may share its blocks with others. Reusable; one owner at a time.</summary>
internal abstract unsafe class RecordRead
{
    /// <summary>The row of reads that it goes through.</summary>
    public ReadQueue Reads { get; set; } = null!;

    /// <summary>The record's address.</summary>
    public long Address { get; set; }

    /// <summary>How many bytes of the log from that address on are asked for, and then there.</summary>
    public int Available { get; set; }

    /// <summary>Where they lie on the device.</summary>
    public BlockExtent Extent { get; set; }

    /// <summary>What has brought the record, in the call of <see cref="OnRead"/>.</summary>
    public BlockRead? Blocks { get; set; }

    /// <summary>The next that waits for the same blocks.</summary>
    public RecordRead? Next { get; set; }

    /// <summary>The blocks are here, or could not be read. Must neither throw nor wait.</summary>
    /// <param name="record">
    /// The record's first byte, 8-byte aligned; valid during the call, or for as long as <see cref="Blocks"/> are kept.
    /// </param>
    /// <param name="error">Why there is none, or null.</param>
    public abstract void OnRead(byte* record, Exception? error);

    /// <summary>Checks that a record begins where it should.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="record">The record.</param>
    /// <returns>
    /// The record's size, or, when it is above <see cref="Available"/>, the length to read next.
    /// </returns>
    /// <exception cref="DamagedDataException">No record is there.</exception>
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
