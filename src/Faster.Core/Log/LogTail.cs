using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Log;

/// <summary>
/// The tail of a paged log: page number and offset in one word, advanced by fetch-and-add (paper 000 §5.1 and App. G,
/// Algorithm 1).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>An allocation adds its size to the offset and owns the range in between if it ends within the page.</item>
/// <item>A full page is turned by compare-and-swap from (page, any offset) to (page + 1, 0): exactly one thread
/// succeeds, and every thread whose addition ended after the page's end learns that from the value that its addition
/// returned.</item>
/// <item>A thread reads the word before it adds, so the offset can't exceed the page by more than one addition for each
/// thread between the two steps: 34 bits suffice for 512 such threads with records of 32 MiB.</item>
/// <item>A pad is also a compare-and-swap, from (page, offset) to the boundary above: it owns the range in
/// between.</item>
/// </list>
/// <para>Thread-safe, latch-free. No thread waits here: one that finds the page full and the next frame not free
/// returns to its caller.</para>
/// </remarks>
internal struct LogTail
{
    private const int OffsetBits = 34;
    private const ulong OffsetMask = (1UL << OffsetBits) - 1;

    private readonly int _pageBits;
    private PaddedWord _tail;

    /// <summary>Creates a tail at an address.</summary>
    public LogTail(int pageBits, long address)
    {
        _pageBits = pageBits;
        _tail.Value = ((ulong)(address >> pageBits) << OffsetBits) | (ulong)(address & ((1L << pageBits) - 1));
    }

    /// <summary>The maximum number of pages that the word can count.</summary>
    public static long PageLimit => 1L << (64 - OffsetBits);

    /// <summary>The page of the tail.</summary>
    public long Page => (long)(Volatile.Read(ref _tail.Value) >> OffsetBits);

    /// <summary>The next free address; the start of the next page when this one is full.</summary>
    public long Address
    {
        get
        {
            ulong word = Volatile.Read(ref _tail.Value);
            long offset = Math.Min((long)(word & OffsetMask), 1L << _pageBits);
            return ((long)(word >> OffsetBits) << _pageBits) + offset;
        }
    }

    /// <summary>Allocates space in the current page.</summary>
    /// <returns>False when the page is full; <paramref name="page"/> is the full page.</returns>
    public bool TryTake(int size, out long address, out long page)
    {
        long pageSize = 1L << _pageBits;
        ulong word = Volatile.Read(ref _tail.Value);
        page = (long)(word >> OffsetBits);
        address = 0;
        if ((long)(word & OffsetMask) + size > pageSize) return false;
        Probe.Point(ProbePoint.TailAdd);
        word = Interlocked.Add(ref _tail.Value, (ulong)size) - (ulong)size;
        page = (long)(word >> OffsetBits);
        long offset = (long)(word & OffsetMask);
        Invariant.DebugCheck(
            offset + size <= (long)OffsetMask, $"an addition of {size} at {offset} does not reach the page's number");
        address = (page << _pageBits) + offset;
        return offset + size <= pageSize;
    }

    /// <summary>
    /// Moves the tail to the next sector boundary; the space in between belongs to no record and stays zero.
    /// </summary>
    /// <param name="geometry">The log's geometry.</param>
    /// <param name="sectorSize">The device's unit of transfers in bytes.</param>
    /// <returns>
    /// The boundary; no record crosses it. The start of the next page if this page has no other boundary.
    /// </returns>
    public long Pad(in BlockGeometry geometry, int sectorSize)
    {
        for (;;)
        {
            ulong word = Volatile.Read(ref _tail.Value);
            long start = (long)(word >> OffsetBits) << _pageBits;
            long offset = Math.Min((long)(word & OffsetMask), 1L << _pageBits);
            long aligned = offset >> _pageBits != 0
                ? start + offset
                : geometry.AlignToSector(start + offset, sectorSize);
            if (aligned == start + offset) return aligned;
            Invariant.Check(
                aligned > start + offset && aligned <= start + (1L << _pageBits),
                $"a pad of {start + offset} ends above it, at the latest with its page: {aligned}");
            Probe.Point(ProbePoint.TailPad);
            ulong next = (word & ~OffsetMask) | (ulong)(aligned - start);
            if (Probe.On && Probe.Has(SeededBug.PadWithoutCompare))
            {
                Volatile.Write(ref _tail.Value, next);
                return aligned;
            }

            if (Interlocked.CompareExchange(ref _tail.Value, next, word) == word) return aligned;
        }
    }

    /// <summary>Turns a full page: moves the tail to the start of the next one.</summary>
    /// <returns>Whether this call moved it.</returns>
    public bool TryTurn(long page)
    {
        for (;;)
        {
            ulong word = Volatile.Read(ref _tail.Value);
            if ((long)(word >> OffsetBits) != page) return false;
            Invariant.Check(page + 1 < PageLimit, $"page {page + 1} is one that the word can count");
            Probe.Point(ProbePoint.TailTurn);
            ulong next = (ulong)(page + 1) << OffsetBits;
            if (Probe.On && Probe.Has(SeededBug.TurnWithoutCompare))
            {
                Volatile.Write(ref _tail.Value, next);
                return true;
            }

            if (Interlocked.CompareExchange(ref _tail.Value, next, word) == word) return true;
        }
    }
}
