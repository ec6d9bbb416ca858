using Faster.Devices;
using Faster.Memory;

namespace Faster.Log;

/// <summary>The read of one record from the device. Reusable; one owner at a time.</summary>
internal abstract unsafe class RecordRead : LogRequest
{
    /// <summary>The record's address.</summary>
    public long Address { get; set; }

    /// <summary>How many bytes of the log from that address on are asked for.</summary>
    public int Available { get; set; }

    /// <summary>Where they lie on the device.</summary>
    public BlockExtent Extent { get; set; }

    /// <summary>The buffer that the reader has lent.</summary>
    public AlignedBuffer Lent { get; set; }

    /// <summary>Verifies what was read and puts the record's bytes together.</summary>
    /// <param name="reader">The reader that read.</param>
    /// <param name="record">The record, 8-byte aligned, in the lent buffer.</param>
    /// <param name="size">
    /// The record's size, or, when it is above <see cref="Available"/>, the length to read next.
    /// </param>
    /// <exception cref="DamagedDataException">The bytes are not what was written.</exception>
    protected void Decode(LogReader reader, out byte* record, out long size)
    {
        LogStorage storage = reader.Storage;
        storage.Decode(Extent.FirstBlock, Extent.BlockCount, Buffer + Extent.BlocksAt, Buffer);
        record = Buffer + Extent.Skip;
        ulong header = RecordHeader.Read(record);
        size = reader.Layout.TrySize(record, Available, storage.Geometry.PageBytes);
        if (header >> RecordHeader.VersionShift == 0 || (header & RecordHeader.Unknown) != 0 || size < 0)
            throw storage.NoRecord(Address, header);
    }
}
