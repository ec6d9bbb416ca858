using Faster.Invariants;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// The frames of a paged log: one block of memory, and for each frame the page that it may be opened for next (the
/// closed status of paper 000 §5.2).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Page p lies in frame p modulo the number of frames, which is a power of two.</item>
/// <item>The status of p's frame is p while p may be opened or is open, and becomes p plus the number of frames when p
/// is closed. It never falls, and takes no other value.</item>
/// <item>Each page is closed once, in ascending order within a claim; claims do not overlap.</item>
/// <item>A frame is zero when its status is published: nothing of an earlier page is seen in a later one.</item>
/// <item>All pages below <see cref="ClosedUntil"/> are closed; it never falls.</item>
/// </list>
/// <para>Thread-safe, latch-free. The caller of <see cref="TryClose"/> has waited until no session can see the pages. A
/// status is a page number and no flag: one that is set late for an earlier page can't be mistaken for a later
/// page's.</para>
/// </remarks>
internal sealed unsafe class PageFrames : IDisposable
{
    private readonly NativeBlock _memory;
    private readonly long[] _mayOpen; // the status of each frame
    private readonly int _pageBits;
    private long _closeClaim;         // how far frames have been claimed for closing
    private long _closedUntil;

    /// <summary>Reserves frames, each of which may be opened for the page of its own number.</summary>
    /// <param name="least">The minimum number of frames; rounded up to a power of two.</param>
    /// <param name="pageBits">The base-2 logarithm of the page size.</param>
    public PageFrames(int least, int pageBits)
    {
        _pageBits = pageBits;
        Count = (long)System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)least);
        _memory = new NativeBlock(Bytes, hugePages: 1L << pageBits >= NativeBlock.HugePage);
        _mayOpen = new long[Count];
        Restore(0);
    }

    /// <summary>The number of frames.</summary>
    public long Count { get; }

    /// <summary>The bytes of all frames.</summary>
    public long Bytes => Count << _pageBits;

    /// <summary>The first byte of the first frame.</summary>
    public byte* Pointer => _memory.Pointer;

    /// <summary>The start of the first page that is not closed.</summary>
    public long ClosedUntil => Volatile.Read(ref _closedUntil);

    /// <summary>Whether the page that lay in a page's frame is closed.</summary>
    public bool MayOpen(long page) => Volatile.Read(ref StatusOf(page)) == page;

    /// <summary>Closes the pages below an address that no earlier call has claimed.</summary>
    /// <returns>Whether there were any.</returns>
    public bool TryClose(long address)
    {
        // Two such calls may run at once; the one that raises the claim closes the pages in between.
        if (!PagedLog.TryRaise(ref _closeClaim, address, out long old)) return false;
        for (long page = old >> _pageBits; page < address >> _pageBits; page++)
        {
            long status = Volatile.Read(ref StatusOf(page));
            Invariant.Check(status == page, $"page {page} is open when it is closed; its frame is for page {status}");
            _memory.Decommit((page & (Count - 1)) << _pageBits, 1L << _pageBits);
            // A full fence, because another such call may be closing the pages below: of two that publish a status and
            // then read the other's, at least one sees both.
            Interlocked.Exchange(ref StatusOf(page), page + Count);
        }

        for (;;)
        {
            long until = Volatile.Read(ref _closedUntil), next = until >> _pageBits;
            if (Volatile.Read(ref StatusOf(next)) != next + Count) return true;
            Interlocked.CompareExchange(ref _closedUntil, (next + 1) << _pageBits, until);
        }
    }

    /// <summary>Touches the memory of the frames of some pages.</summary>
    /// <param name="firstPage">The first page.</param>
    /// <param name="pages">The number of pages, at most <see cref="Count"/>.</param>
    public void Populate(long firstPage, long pages)
    {
        long first = firstPage & (Count - 1), upToEnd = Math.Min(pages, Count - first);
        _memory.Populate(first << _pageBits, upToEnd << _pageBits);
        _memory.Populate(0, (pages - upToEnd) << _pageBits);
    }

    /// <summary>Puts the frames where every page below one is closed; before other threads use them.</summary>
    public void Restore(long firstPage)
    {
        _closeClaim = _closedUntil = firstPage << _pageBits;
        for (long page = firstPage; page < firstPage + Count; page++) StatusOf(page) = page;
    }

    /// <inheritdoc/>
    public void Dispose() => _memory.Dispose();

    private ref long StatusOf(long page) => ref _mayOpen[page & (Count - 1)];
}
