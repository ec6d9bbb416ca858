using Faster.Compaction.Copying;

namespace Faster.Tests.Compaction.Copying;

/// <summary>Each page of the part that is compacted is handed out once, with the bounds of the part.</summary>
public class PageFrontierTests
{
    private const int PageBits = 12, Page = 1 << PageBits;

    [Theory]
    [InlineData(Page, Page, 0)]
    [InlineData(64, Page, 1)]
    [InlineData(64, 3 * Page, 3)]
    [InlineData(2 * Page, 5 * Page, 3)]
    [InlineData(Page + 8, (2 * Page) + 16, 2)]
    public void Pages_follow_each_other_without_gap_or_overlap(long begin, long until, int pages)
    {
        var frontier = new PageFrontier(begin, until, PageBits);
        Assert.Equal(pages, frontier.Pages);
        long at = begin;
        for (int i = 0; i < pages; i++)
        {
            Assert.True(frontier.TryTake(out long start, out long end));
            Assert.Equal(at, start);
            Assert.Equal(start >> PageBits, (end - 1) >> PageBits);
            at = end;
        }

        Assert.Equal(until, at);
        Assert.False(frontier.TryTake(out _, out _));
        Assert.False(frontier.TryTake(out _, out _));
    }

    [Fact]
    public void No_page_follows_once_enough_was_copied()
    {
        var frontier = new PageFrontier(64, 5 * Page, PageBits, maxCopied: 100);
        Assert.True(frontier.TryTake(out _, out _));
        frontier.CountCopied(99);
        Assert.True(frontier.TryTake(out _, out long end));
        frontier.CountCopied(1);
        Assert.False(frontier.TryTake(out _, out _));
        Assert.Equal((2 * Page, 2 * Page), (end, frontier.Reached));
    }

    [Fact]
    public void It_has_reached_the_end_when_all_pages_are_taken()
    {
        var frontier = new PageFrontier(64, (2 * Page) + 8, PageBits);
        for (int i = 0; i < 3; i++) Assert.True(frontier.TryTake(out _, out _));
        for (int i = 0; i < 3; i++) Assert.False(frontier.TryTake(out _, out _));
        Assert.Equal((2 * Page) + 8, frontier.Reached);
    }

    [Fact]
    public void Threads_get_each_page_once()
    {
        const int Pages = 10_000;
        var frontier = new PageFrontier(64, (long)Pages << PageBits, PageBits);
        int[] taken = new int[Pages];
        Parallel.For(0, 4, _ =>
        {
            while (frontier.TryTake(out long start, out long _)) Interlocked.Increment(ref taken[start >> PageBits]);
        });
        Assert.All(taken, count => Assert.Equal(1, count));
    }
}
