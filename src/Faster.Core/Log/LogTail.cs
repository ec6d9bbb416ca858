using Faster.Contracts;
using Faster.Devices;

namespace Faster.Log;

/// <summary>
/// The tail of a paged log: page number and offset in one word, advanced by fetch-and-add (paper 000 §5.1 and App. G,
/// Algorithm 1).
/// </summary>
/// <remarks>
/// Thread-safe, latch-free. A taker adds its size to the offset and owns what lies between, if that is inside the page.
/// A full page is turned by compare-and-swap from (page, any offset) to (page + 1, 0): exactly one turner succeeds, and
/// every taker whose addition fell behind the page's end finds that out from what its addition returned. A taker reads
/// before it adds, so that the offset can't exceed the page by more than one addition for each thread that is between
/// the two: 34 bits leave room for 512 such threads with records of 32 MiB.
/// A pad is a compare-and-swap too, from (page, offset) to the boundary above: it owns what lies between.
/// Nobody waits here: who finds the page full and the next frame not free returns to its caller.
/// </remarks>
internal struct LogTail<TProbe>
    where TProbe : struct, IProbe
{
    private const int OffsetBits = 34;
    private const ulong OffsetMask = (1UL << OffsetBits) - 1;

    private readonly int _pageBits;
    private PaddedWord _tail;

    /// <summary>A tail at an address.</summary>
    public LogTail(int pageBits, long address)
    {
        _pageBits = pageBits;
        _tail.Value = ((ulong)(address >> pageBits) << OffsetBits) | (ulong)(address & ((1L << pageBits) - 1));
    }

    /// <summary>The most pages that the word can count.</summary>
    public static long PageLimit => 1L << (64 - OffsetBits);

    /// <summary>The page that the tail is in.</summary>
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

    /// <summary>Takes room in the current page.</summary>
    /// <returns>False when the page is full; <paramref name="page"/> is the full page.</returns>
    public bool TryTake(int size, out long address, out long page)
    {
        long pageSize = 1L << _pageBits;
        ulong word = Volatile.Read(ref _tail.Value);
        page = (long)(word >> OffsetBits);
        address = 0;
        if ((long)(word & OffsetMask) + size > pageSize) return false;
        TProbe.Point(ProbePoint.TailAdd);
        word = Interlocked.Add(ref _tail.Value, (ulong)size) - (ulong)size;
        page = (long)(word >> OffsetBits);
        long offset = (long)(word & OffsetMask);
        address = (page << _pageBits) + offset;
        return offset + size <= pageSize;
    }

    /// <summary>
    /// Moves the tail to the next boundary of a sector; what lies between is nobody's and stays zero.
    /// </summary>
    /// <param name="geometry">The log's geometry.</param>
    /// <param name="sectorSize">The device's unit of transfers.</param>
    /// <returns>The boundary: no record lies across it. The next page's start where this page has no other.</returns>
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
            TProbe.Point(ProbePoint.TailPad);
            ulong next = (word & ~OffsetMask) | (ulong)(aligned - start);
            if (TProbe.Has(SeededBug.PadWithoutCompare))
            {
                Volatile.Write(ref _tail.Value, next);
                return aligned;
            }

            if (Interlocked.CompareExchange(ref _tail.Value, next, word) == word) return aligned;
        }
    }

    /// <summary>Turns a full page: the tail moves to the start of the next one.</summary>
    /// <returns>Whether this call did it.</returns>
    public bool TryTurn(long page)
    {
        for (;;)
        {
            ulong word = Volatile.Read(ref _tail.Value);
            if ((long)(word >> OffsetBits) != page) return false;
            TProbe.Point(ProbePoint.TailTurn);
            ulong next = (ulong)(page + 1) << OffsetBits;
            if (TProbe.Has(SeededBug.TurnWithoutCompare))
            {
                Volatile.Write(ref _tail.Value, next);
                return true;
            }

            if (Interlocked.CompareExchange(ref _tail.Value, next, word) == word) return true;
        }
    }
}
