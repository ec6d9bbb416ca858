using Faster.Devices;

namespace Faster.Log;

/// <summary>Where a log's pages lie on a device, and whose they are.</summary>
/// <param name="Device">The device.</param>
/// <param name="Geometry">The mapping from addresses to blocks.</param>
/// <param name="Seal">The store's identity and incarnation, which every block's checksum covers.</param>
internal sealed record LogStorage(Device Device, BlockGeometry Geometry, BlockSeal Seal)
{
    private long _bytesWritten;
    private long _bytesRead;
    private long _reads;

    /// <summary>The bytes written so far.</summary>
    public long BytesWritten => Volatile.Read(ref _bytesWritten);

    /// <summary>The bytes read so far.</summary>
    public long BytesRead => Volatile.Read(ref _bytesRead);

    /// <summary>How many reads have been made.</summary>
    public long Reads => Volatile.Read(ref _reads);

    /// <summary>Counts a write.</summary>
    public void CountWrite(int bytes) => Interlocked.Add(ref _bytesWritten, bytes);

    /// <summary>Counts a read.</summary>
    public void CountRead(int bytes)
    {
        Interlocked.Increment(ref _reads);
        Interlocked.Add(ref _bytesRead, bytes);
    }

    /// <summary>The error for a block that is not what was written.</summary>
    public DamagedDataException Damaged(long block)
    {
        (string place, long offset) = Device.Locate(block * BlockFormat.BlockSize);
        return new DamagedDataException(
            $"A block of the log at byte {offset:N0} of '{place}' is damaged: its checksum, place or owner is wrong. "
            + "Operations on keys in it fail, all others go on; restore the store from a copy.")
        {
            Path = place,
            Offset = offset,
        };
    }

    /// <summary>The error for an address where no record is that this version can read.</summary>
    public DamagedDataException NoRecord(long address, ulong header)
    {
        (string place, long offset) = Device.Locate(Geometry.Map(address, 1, Device.SectorSize).Offset);
        return new DamagedDataException(
            (header & RecordHeader.Unknown) != 0
                ? $"The record at address {address:N0} of the log, from byte {offset:N0} of '{place}' on, has flags "
                    + $"that this version does not know (header 0x{header:x16}). Use the version that wrote it."
                : $"There is no record at address {address:N0} of the log, from byte {offset:N0} of '{place}' on "
                    + $"(header 0x{header:x16}). The log is damaged; restore the store from a copy.")
        {
            Path = place,
            Offset = offset,
        };
    }
}
