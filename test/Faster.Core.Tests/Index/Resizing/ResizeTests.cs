using Faster.Index;
using Faster.Index.Resizing;

namespace Faster.Tests.Index.Resizing;

public sealed unsafe class ResizeTests
{
    [Theory]
    [InlineData(16, 32, 16)]
    [InlineData(64, 128, 64)]
    [InlineData(66, 132, 33)]
    [InlineData(128, 256, 64)]
    [InlineData(1 << 15, 1 << 16, 64)]
    [InlineData(1 << 16, 1 << 17, 128)]
    [InlineData(16, 8, 8)] // a pair of buckets at least
    public void A_table_has_chunks_of_up_to_512_buckets_and_64_of_them_if_it_can(long old, long grown, int chunks)
    {
        using IndexTable from = new(old), to = new(grown);
        Resize resize = Make(from, to);
        Assert.Equal(chunks, resize.ChunkCount);
        Assert.Equal(0, resize.FirstBucketOf(0));
        Assert.Equal(old, resize.EndBucketOf(chunks - 1));
        for (int i = 1; i < chunks; i++)
        {
            Assert.Equal(resize.EndBucketOf(i - 1), resize.FirstBucketOf(i));
            Assert.Equal(i - 1, resize.ChunkOf(resize.FirstBucketOf(i) - 1));
            Assert.Equal(i, resize.ChunkOf(resize.FirstBucketOf(i)));
        }
    }

    [Fact]
    public void A_chunk_is_pinned_by_many_or_converted_by_one()
    {
        using IndexTable from = new(2), to = new(4);
        Resize resize = Make(from, to);
        Assert.True(resize.IsFree(0) && resize.TryPin(0) && resize.TryPin(0));
        Assert.False(resize.IsFree(0) || resize.TryClaim(0));
        resize.Unpin(0);
        Assert.False(resize.TryClaim(0));
        resize.Unpin(0);
        Assert.True(resize.TryClaim(0));
        Assert.False(resize.TryClaim(0) || resize.TryPin(0) || resize.IsFree(0) || resize.IsDone(0));
        resize.GiveUp(0); // converted in part
        Assert.False(resize.TryPin(0) || resize.IsDone(0));
        Assert.True(resize.IsFree(0) && resize.TryClaim(0));
        Assert.False(resize.MarkDone(0)); // not the last one
        Assert.True(resize.IsDone(0));
        Assert.False(resize.TryClaim(0) || resize.TryPin(0) || resize.IsFree(0));
        Assert.True(resize.HasFreeChunk && resize.TryClaim(1) && resize.MarkDone(1));
        Assert.False(resize.HasFreeChunk);
        Assert.Equal(2, resize.DoneCount);
    }

    [Fact]
    public void Each_helper_looks_at_another_chunk_first()
    {
        using IndexTable from = new(4), to = new(8);
        Resize resize = Make(from, to);
        Assert.Equal([0, 1, 2, 3, 0], Enumerable.Range(0, 5).Select(_ => resize.FindFreeChunk()));
        for (int chunk = 0; chunk < 4; chunk++)
        {
            if (chunk != 2) Assert.True(resize.TryClaim(chunk));
        }

        for (int i = 0; i < 4; i++) Assert.Equal(2, resize.FindFreeChunk());
        Assert.True(resize.TryClaim(2));
        Assert.Equal(-1, resize.FindFreeChunk());
    }

    [Fact]
    public void Reserved_buckets_suffice_for_twice_the_overflow_of_a_split_and_for_a_merge()
    {
        long page = Environment.SystemPageSize, bucket = HashBucket.SizeInBytes;
        using IndexTable table = new(2), grown = new(4);
        Assert.Equal(page, Resize.SpareBytes(ResizeKind.Split, table));
        Assert.Equal(page, Resize.SpareBytes(ResizeKind.Join, table));
        for (uint i = 0; i < 14; i++) table.Buckets[i / 7].Entries[i % 7] = EntryWord.Of(i, 64);
        Assert.Equal((bucket * 9 / 8) + page, Resize.SpareBytes(ResizeKind.Join, table));
        Assert.True(table.Pool.TryExtend(OverflowPool.MinBytes));
        long needed = (2 * OverflowPool.MinBytes * 9 / 8) + page;
        Assert.Equal(needed, Resize.SpareBytes(ResizeKind.Split, table));

        Resize resize = Make(table, grown);
        Assert.Equal(needed, resize.SpareBytesLeft);
        Assert.True(grown.ResizePool.TryExtend(OverflowPool.MinBytes));
        Assert.Equal(needed - OverflowPool.MinBytes, resize.SpareBytesLeft);
    }

    private static Resize Make(IndexTable from, IndexTable to) => new(from, to, 0, null!, static () => { });
}
