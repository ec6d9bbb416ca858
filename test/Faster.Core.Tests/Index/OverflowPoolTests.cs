using Faster.Index;

namespace Faster.Tests.Index;

public sealed unsafe class OverflowPoolTests
{
    [Fact]
    public void Buckets_are_aligned_zero_and_handed_out_once()
    {
        using var pool = new OverflowPool();
        Assert.Equal(0, pool.Bytes);
        var seen = new HashSet<nint>();
        for (int i = 0; i < 1000; i++)
        {
            HashBucket* bucket = pool.Take();
            Assert.Equal(0, (nint)bucket % HashBucket.SizeInBytes);
            Assert.True(seen.Add((nint)bucket));
            Assert.True(new ReadOnlySpan<byte>(bucket, HashBucket.SizeInBytes).IndexOfAnyExcept((byte)0) < 0);
            *bucket = new HashBucket { Overflow = 1 };
        }

        Assert.InRange(pool.Bytes, 1000 * HashBucket.SizeInBytes, 3000 * HashBucket.SizeInBytes);
    }

    [Fact]
    public void A_bucket_given_back_is_the_next_one_taken()
    {
        using var pool = new OverflowPool();
        HashBucket* bucket = pool.Take();
        pool.GiveBack(bucket);
        Assert.True(pool.Take() == bucket);
        Assert.True(pool.Take() != bucket);
    }

    [Fact]
    public void Freed_buckets_are_zeroed_and_taken_before_memory_is_reserved()
    {
        using var pool = new OverflowPool();
        nint[] taken = [.. Enumerable.Range(0, 100).Select(_ => (nint)pool.Take())];
        long bytes = pool.Bytes;
        foreach (nint bucket in taken)
        {
            new Span<byte>((void*)bucket, HashBucket.SizeInBytes).Fill(0xA5);
            pool.Free((HashBucket*)bucket);
        }

        Assert.True(pool.TryExtend(most: 0)); // there are some, within any limit
        var again = new HashSet<nint>();
        foreach (nint _ in taken)
        {
            HashBucket* bucket = pool.TryTake();
            Assert.True(new ReadOnlySpan<byte>(bucket, HashBucket.SizeInBytes).IndexOfAnyExcept((byte)0) < 0);
            Assert.True(again.Add((nint)bucket));
        }

        Assert.Equal(taken.Order(), again.Order());
        Assert.Equal(bytes, pool.Bytes);
        Assert.False(pool.TryExtend(most: 0));
    }

    [Fact]
    public void Reserved_buckets_are_handed_out_and_no_more()
    {
        long piece = OverflowPool.MinBytes;
        using var pool = new OverflowPool();
        Assert.True(pool.TryTake() == null);
        for (int pieces = 1; pieces <= 2; pieces++)
        {
            Assert.True(pool.TryExtend(piece));
            Assert.True(pool.TryExtend(piece)); // there is space already
            Assert.Equal(pieces * piece, pool.Bytes);
            for (long i = 0; i < piece / HashBucket.SizeInBytes; i++) Assert.True(pool.TryTake() != null);
            Assert.True(pool.TryTake() == null);
        }
    }

    [Fact]
    public void Threads_never_get_the_same_bucket()
    {
        using var pool = new OverflowPool();
        nint[][] taken = new nint[4][];
        Parallel.For(0, taken.Length, i =>
        {
            taken[i] = new nint[2000];
            for (int n = 0; n < taken[i].Length; n++) taken[i][n] = (nint)pool.Take();
        });
        Assert.Equal(8000, taken.SelectMany(some => some).Distinct().Count());
    }

    [Fact]
    public void A_pool_reserves_no_more_than_it_is_told()
    {
        using var pool = new OverflowPool();
        int page = Environment.SystemPageSize;
        Assert.False(pool.TryExtend(page - 1));
        Assert.True(pool.TryTake() == null);
        Assert.True(pool.TryExtend((2 * page) - 1));
        Assert.Equal(page, pool.Bytes);
        for (int i = 0; i < page / HashBucket.SizeInBytes; i++) Assert.True(pool.TryTake() != null);
        Assert.True(pool.TryTake() == null);
    }
}
