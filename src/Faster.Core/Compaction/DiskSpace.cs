using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>Measures a log's space on its device and releases it from the front.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>What is released never shrinks, and is whole pages.</item>
/// <item>Space counts as released only after the device has released it.</item>
/// </list>
/// <para>Thread-safe: releases exclude each other; readers take no lock.</para>
/// </remarks>
internal sealed class DiskSpace
{
    private readonly Lock _releasing = new();
    private readonly LogStorage _storage;
    private readonly long _segmentBytes;
    private long _released = -1; // none yet: the first release also frees what an earlier process left behind
    private long _heldFrom; // the end of what was released

    /// <summary>Creates the account of a log.</summary>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="segmentBytes">The unit, in bytes, in which the device releases space.</param>
    public DiskSpace(LogStorage storage, long segmentBytes) => (_storage, _segmentBytes) = (storage, segmentBytes);

    /// <summary>Records that an earlier process has released the space below an address.</summary>
    public void HeldFrom(long address) => _heldFrom = OffsetOf(address);

    /// <summary>The bytes on the device that a log up to an address occupies.</summary>
    public long BytesUpTo(long address) => Math.Max(EndOf(address) - Floor, 0);

    /// <summary>
    /// As <see cref="BytesUpTo"/>, without what is released with the segment that it lies in: what more releases would
    /// not free is not counted.
    /// </summary>
    public long HeldUpTo(long address) => Math.Max(EndOf(address) - Volatile.Read(ref _heldFrom), 0);

    /// <summary>The bytes on the device of a part of a log.</summary>
    public long BytesBetween(long from, long to) => EndOf(to) - OffsetOf(from);

    /// <summary>
    /// The first page that starts at or after a number of bytes on the device, counted from the end of the released
    /// space. Never falls.
    /// </summary>
    public long PageAt(long bytes) => PageAfter(Floor + bytes);

    /// <summary>As <see cref="PageAt"/>, counted as <see cref="HeldUpTo"/> counts.</summary>
    public long PageHeldAt(long bytes) => PageAfter(Volatile.Read(ref _heldFrom) + bytes);

    /// <summary>Releases the space on the device below an address.</summary>
    /// <exception cref="StorageException">A file could not be deleted; the next call tries again.</exception>
    public void Release(long address)
    {
        long offset = OffsetOf(address);
        lock (_releasing)
        {
            if (offset <= _released) return;
            _storage.Device.TruncateTyped(offset);
            _released = offset;
            Volatile.Write(ref _heldFrom, Math.Max(offset, _heldFrom));
        }
    }

    private long EndOf(long address)
    {
        if (address <= 0) return 0;
        BlockGeometry geometry = _storage.Geometry;
        long inPage = address & (geometry.PageBytes - 1), page = OffsetOf(address);
        if (inPage != 0) page += geometry.Map(address - inPage, (int)inPage, _storage.Device.SectorSize).Length;
        return page;
    }

    private long PageAfter(long offset)
    {
        long stride = _storage.Geometry.PageStride;
        return (offset + stride - 1) / stride;
    }

    // The device releases whole segments.
    private long Floor => Volatile.Read(ref _heldFrom) / _segmentBytes * _segmentBytes;

    private long OffsetOf(long address) => _storage.Geometry.OffsetOfPage(address >> _storage.Geometry.PageBits);
}
