using Faster.Compaction;

namespace Faster.Tests.Compaction;

/// <summary>A pass is judged by what was in the log when it began.</summary>
public sealed class CompactionPassTests
{
    private const int PageBits = 12;
    private const long Page = 1 << PageBits, Pages = 1000;

    [Theory]
    [InlineData(4, 0, true)]
    [InlineData(4, 70, true)]
    [InlineData(4, 75, true)]
    [InlineData(4, 76, false)]
    [InlineData(4, 100, false)]
    [InlineData(8, 87, true)]
    [InlineData(8, 88, false)]
    public void A_pass_is_judged_by_the_live_share_of_the_log_whatever_its_steps(int minGain, int percent, bool pays)
    {
        foreach (long step in (ReadOnlySpan<long>)[1, 7, 250, 437, 999, 1000, 5000])
        {
            // No page is written meanwhile: above the pages that are live in part lie the pass's own copies, all live.
            var pass = new CompactionPass(PageBits, minGain);
            long begin = 0, tail = (Pages * Page) + 100;
            while (!pass.IsOver(begin))
            {
                long until = pass.StepEnd(Math.Min(begin + (step * Page), tail));
                Assert.InRange(until, begin + Page, Pages * Page);
                pass.Begin(tail);
                long old = Math.Clamp((Pages * Page) - begin, 0, until - begin);
                long copied = (old / 100 * percent) + (old % 100 * percent / 100) + (until - begin - old);
                pass.Count(until - begin, copied);
                (begin, tail) = (until, tail + copied);
            }

            Assert.Equal(Pages * Page, pass.Reclaimed);
            Assert.Equal(pays, pass.Pays);
        }
    }

    [Fact]
    public void A_pass_whose_rest_was_truncated_by_something_else_is_over()
    {
        var pass = new CompactionPass(PageBits);
        Assert.False(pass.IsOver(5 * Page));
        pass.Begin(10 * Page);
        pass.Begin(20 * Page); // it is under way
        pass.Count(Page, Page / 2);
        Assert.False(pass.IsOver(9 * Page));
        Assert.True(pass.IsOver(12 * Page));
        Assert.True(pass.Pays);
        pass.End();
        Assert.False(pass.IsOver(12 * Page));
        Assert.Equal((0, 0, true), (pass.Reclaimed, pass.Copied, pass.Pays));
        Assert.Equal(30 * Page, pass.StepEnd((30 * Page) + 1));
    }
}
