using Faster.Engines.Bullet.Back;

namespace Faster.Tests.Engines.Bullet.Back;

/// <summary>Sizes of blocks, and what the heap keeps when keys come and go.</summary>
public sealed class RegionHeapTests
{
    [Fact]
    public void A_block_has_at_most_an_eighth_that_is_not_used()
    {
        Assert.Equal(SizeClasses.Largest, SizeClasses.BytesOf(SizeClasses.Count - 1));
        for (int bytes = 32; bytes <= SizeClasses.Largest; bytes++)
        {
            int sizeClass = SizeClasses.Of(bytes), size = SizeClasses.BytesOf(sizeClass);
            Assert.InRange(size, bytes, bytes + Math.Max(7, bytes / 8));
            Assert.True(SizeClasses.BytesOf(sizeClass - 1) < bytes);
        }
    }

    [Fact]
    public void A_span_has_at_most_a_sixteenth_at_its_end_and_its_blocks_know_where_it_begins()
    {
        for (int i = 0; i < SizeClasses.Count; i++)
        {
            int bytes = SizeClasses.PagesOf(i) * BackLayout.PageBytes;
            int left = bytes - Span.HeaderBytes - (SizeClasses.BlocksOf(i) * SizeClasses.BytesOf(i));
            Assert.InRange(left, 0, bytes / 16);
            Assert.InRange(SizeClasses.PagesOf(i), 1, 64);
        }
    }

    [Fact]
    public void Free_runs_of_a_higher_list_are_longer()
    {
        for (long pages = 1; pages < 5000; pages++)
        {
            int bin = PageRuns.BinOf(pages);
            Assert.InRange(bin, PageRuns.BinOf(pages - 1), PageRuns.BinOf(pages - 1) + 1);
        }

        Assert.True(PageRuns.BinOf(1L << 30) < BackLayout.Bins);
    }

    [Fact]
    public void All_pages_come_back_when_all_keys_have_gone() => TestSeed.Run(5, static seed =>
    {
        var random = new Random(seed);
        using var back = new TestBack(8 << 20, TestBack.Small);
        long free = back.Table.Figures.FreeBytes;
        for (int round = 0; round < 4; round++)
        {
            int most = 1 << random.Next(4, 17);
            back.Put([.. Enumerable.Range(0, 60).Select(
                key => ((long)key, TestBack.ValueOf(random, random.Next(most))))]);
            back.Remove([.. back.Keys.Where(_ => random.Next(2) == 0)]);
        }

        back.Remove([.. back.Keys]);
        back.Round += 2;
        back.Sweep();
        back.AssertSame();
        Assert.Equal(free, back.Table.Figures.FreeBytes);
    });

    [Fact]
    public void Values_that_change_their_sizes_keep_no_more_space_with_time()
    {
        using var back = new TestBack(8 << 20, TestBack.Small);
        Random random = TestSeed.NewRandom();
        const int Keys = 1000, Rounds = 60;
        long[] used = new long[Rounds];
        for (int round = 0; round < Rounds; round++)
        {
            // Sizes drift: classes are used, and not used any more, one after another.
            int size = 40 * (1 + (round * 7 % 20));
            foreach (long[] keys in Enumerable.Range(0, Keys).Select(static key => (long)key).Chunk(100))
                back.Put([.. keys.Select(key => (key, TestBack.ValueOf(random, size + random.Next(40))))]);
            BackFigures figures = back.Table.Figures;
            used[round] = (figures.HeapBytes - figures.FreeBytes) - (Keys * (size + 60L));
        }

        back.AssertSame();
        long early = used[20..40].Max(), late = used[40..].Max(); // the sizes of both are the same ones
        Assert.InRange(late, 0, early + (early / 20));
        Assert.InRange(late, 0, 400_000);
    }
}
