using Faster.Invariants;

namespace Faster.Compaction.Copying;

/// <summary>The range of a log that a compaction copies, handed out page by page (paper 003 §5.2).</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Each page is handed out once, in ascending order, and none that lies outside the range.</item>
/// <item>The parts that are handed out cover the range up to <see cref="Reached"/> without a gap.</item>
/// <item>No page is handed out once the copies take as many bytes as they may.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
/// <param name="begin">The start of the range, which may lie within a page.</param>
/// <param name="until">The end of the range: a page's start.</param>
/// <param name="pageBits">The binary logarithm of the page size.</param>
/// <param name="maxCopied">The bytes of copies after which the run ends early; above 0.</param>
internal sealed class PageFrontier(long begin, long until, int pageBits, long maxCopied = long.MaxValue)
{
    private readonly long _first = begin >> pageBits;
    private long _taken = (begin >> pageBits) - 1; // the last page that was handed out
    private long _copied;

    /// <summary>The number of pages, including a first one that may be incomplete.</summary>
    public long Pages => Math.Max(((until + (1L << pageBits) - 1) >> pageBits) - _first, 0);

    /// <summary>The end of the pages that were handed out, after the last call of <see cref="TryTake"/>.</summary>
    public long Reached => Math.Min((Volatile.Read(ref _taken) + 1) << pageBits, until);

    /// <summary>Counts the bytes of copies.</summary>
    public void CountCopied(long bytes) => Interlocked.Add(ref _copied, bytes);

    /// <summary>Takes the next page.</summary>
    /// <param name="start">The address at which the walk over the page begins.</param>
    /// <param name="end">The address at which it ends.</param>
    /// <returns>False when all pages are taken, or enough was copied.</returns>
    public bool TryTake(out long start, out long end)
    {
        (start, end) = (until, until);
        if (Volatile.Read(ref _copied) >= maxCopied) return false;
        long page = Interlocked.Increment(ref _taken);
        start = Math.Max(page << pageBits, begin);
        end = Math.Min((page + 1) << pageBits, until);
        Invariant.Check(
            start >= until || (start < end && start >> pageBits == (end - 1) >> pageBits),
            $"a part lies in one page of the range: {start} to {end}, of {begin} to {until}");
        return start < until;
    }
}
