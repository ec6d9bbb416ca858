using Faster.Devices;

namespace Faster.Log;

/// <summary>How much of the device a log takes, and giving it back from the front.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class DiskSpace
{
    private readonly Lock _releasing = new();
    private readonly LogStorage _storage;
    private readonly long _segmentBytes;
    private long _released = -1; // nothing yet: what an earlier process has left behind goes with the first
    private long _floor;

    /// <summary>The space of a log.</summary>
    /// <param name="storage">Where it lies.</param>
    /// <param name="segmentBytes">In which pieces the device gives space back.</param>
    public DiskSpace(LogStorage storage, long segmentBytes) => (_storage, _segmentBytes) = (storage, segmentBytes);

    /// <summary>An earlier process has given up what lies below an address.</summary>
    public void HeldFrom(long address) => _floor = FloorOf(OffsetOf(address));

    /// <summary>The bytes on the device of a log that reaches up to an address.</summary>
    public long BytesUpTo(long address)
    {
        if (address <= 0) return 0;
        BlockGeometry geometry = _storage.Geometry;
        long inPage = address & (geometry.PageBytes - 1), page = OffsetOf(address);
        if (inPage != 0) page += geometry.Map(address - inPage, (int)inPage, _storage.Device.SectorSize).Length;
        return Math.Max(page - Volatile.Read(ref _floor), 0);
    }

    /// <summary>The first page that lies behind a number of bytes of the log, or at their end. Never falls.</summary>
    public long PageAt(long bytes)
    {
        long stride = _storage.Geometry.PageStride;
        return (Volatile.Read(ref _floor) + bytes + stride - 1) / stride;
    }

    /// <summary>Gives up what lies on the device below an address.</summary>
    /// <exception cref="StorageException">A file could not be deleted; the next call tries again.</exception>
    public void Release(long address)
    {
        long offset = OffsetOf(address);
        lock (_releasing)
        {
            if (offset <= _released) return;
            _storage.Device.TruncateBelow(offset);
            _released = offset;
            Volatile.Write(ref _floor, Math.Max(FloorOf(offset), _floor));
        }
    }

    private long OffsetOf(long address) => _storage.Geometry.OffsetOfPage(address >> _storage.Geometry.PageBits);

    private long FloorOf(long offset) => offset / _segmentBytes * _segmentBytes;
}
