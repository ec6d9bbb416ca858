using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>Measures a log's space on its device and releases it from the front.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>What is released never shrinks, and is whole pages. Nothing from a pinned address on is released.</item>
/// <item>Space counts as released only after the device has released it. Space that is not needed and only pinned
/// counts as released from the same moment on where it is said so: it comes back by itself when its reader has
/// ended.</item>
/// </list>
/// <para>Thread-safe: releases exclude each other; readers take no lock.</para>
/// </remarks>
internal sealed class DiskSpace
{
    private readonly Lock _releasing = new();
    private readonly LogStorage _storage;
    private readonly LogPins _pins;
    private readonly long _segmentBytes;
    private long _needed; // an address; below it only readers hold the log
    private long _released = -1; // none yet: the first release also frees what an earlier process left behind
    private long _heldFrom; // the end of what was released
    private long _neededFrom; // the end of what was released, or would have been but for readers

    /// <summary>Creates the account of a log.</summary>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="pins">What readers hold of the log.</param>
    /// <param name="segmentBytes">The unit, in bytes, in which the device releases space.</param>
    public DiskSpace(LogStorage storage, LogPins pins, long segmentBytes) =>
        (_storage, _pins, _segmentBytes) = (storage, pins, segmentBytes);

    /// <summary>Records that an earlier process has released the space below an address.</summary>
    public void HeldFrom(long address) => (_needed, _heldFrom, _neededFrom) =
        (address, OffsetOf(address), OffsetOf(address));

    /// <summary>The bytes on the device that a log up to an address occupies.</summary>
    public long BytesUpTo(long address) => Math.Max(EndOf(address) - SegmentOf(ref _heldFrom), 0);

    /// <summary>As <see cref="BytesUpTo"/>, without what only readers hold.</summary>
    public long NeededUpTo(long address) => Math.Max(EndOf(address) - SegmentOf(ref _neededFrom), 0);

    /// <summary>
    /// As <see cref="NeededUpTo"/>, without what is released with the segment that it lies in: what more releases would
    /// not free is not counted.
    /// </summary>
    public long HeldUpTo(long address) => Math.Max(EndOf(address) - Volatile.Read(ref _neededFrom), 0);

    /// <summary>The bytes on the device of a part of a log.</summary>
    public long BytesBetween(long from, long to) => EndOf(to) - OffsetOf(from);

    /// <summary>
    /// The first page that starts at or after a number of bytes on the device, counted as <see cref="NeededUpTo"/>
    /// counts. Never falls.
    /// </summary>
    public long PageAt(long bytes) => PageAfter(SegmentOf(ref _neededFrom) + bytes);

    /// <summary>As <see cref="PageAt"/>, counted as <see cref="HeldUpTo"/> counts.</summary>
    public long PageHeldAt(long bytes) => PageAfter(Volatile.Read(ref _neededFrom) + bytes);

    /// <summary>Releases the space on the device below an address, as far as it is not pinned.</summary>
    /// <param name="needed">
    /// The lowest address that is needed, except by readers: no pin below it that is taken from now on will hold. 0 for
    /// the one that was given last.
    /// </param>
    /// <exception cref="StorageException">A file could not be deleted; the next call tries again.</exception>
    public void Release(long needed)
    {
        lock (_releasing)
        {
            _needed = Math.Max(_needed, needed);
            long offset = OffsetOf(Math.Min(_needed, _pins.LowestPinned));
            if (offset > _released)
            {
                _storage.Device.TruncateTyped(offset);
                _released = offset;
                Volatile.Write(ref _heldFrom, Math.Max(offset, _heldFrom));
            }

            Volatile.Write(ref _neededFrom, OffsetOf(_needed));
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
    private long SegmentOf(ref long offset) => Volatile.Read(ref offset) / _segmentBytes * _segmentBytes;

    private long OffsetOf(long address) => _storage.Geometry.OffsetOfPage(address >> _storage.Geometry.PageBits);
}
