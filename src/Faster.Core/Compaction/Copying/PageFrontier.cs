using Faster.Invariants;

namespace Faster.Compaction.Copying;

/// <summary>The range of a log that a compaction copies, handed out page by page (paper 003 §5.2).</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Each page is handed out once, in ascending order, and none that lies outside the range.</item>
/// <item>The parts that are handed out cover the range without a gap.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
/// <param name="begin">The start of the range, which may lie within a page.</param>
/// <param name="until">The end of the range: a page's start.</param>
/// <param name="pageBits">The binary logarithm of the page size.</param>
internal sealed class PageFrontier(long begin, long until, int pageBits)
{
    private readonly long _first = begin >> pageBits;
    private long _next = (begin >> pageBits) - 1;

    /// <summary>The number of pages, including a first one that may be incomplete.</summary>
    public long Pages => Math.Max(((until + (1L << pageBits) - 1) >> pageBits) - _first, 0);

    /// <summary>Takes the next page.</summary>
    /// <param name="start">The address at which the walk over the page begins.</param>
    /// <param name="end">The address at which it ends.</param>
    /// <returns>False when all pages are taken.</returns>
    public bool TryTake(out long start, out long end)
    {
        long page = Interlocked.Increment(ref _next);
        start = Math.Max(page << pageBits, begin);
        end = Math.Min((page + 1) << pageBits, until);
        Invariant.Check(
            start >= until || (start < end && start >> pageBits == (end - 1) >> pageBits),
            $"a part lies in one page of the range: {start} to {end}, of {begin} to {until}");
        return start < until;
    }
}
