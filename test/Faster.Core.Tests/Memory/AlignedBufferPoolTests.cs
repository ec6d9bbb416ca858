using Faster.Memory;

namespace Faster.Tests.Memory;

public sealed unsafe class AlignedBufferPoolTests
{
    [Theory]
    [InlineData(1, 4096)]
    [InlineData(4096, 4096)]
    [InlineData(4097, 8192)]
    [InlineData(1 << 20, 1 << 20)]
    [InlineData((1 << 20) + 1, 2 << 20)]
    public void Buffers_are_aligned_powers_of_two(int bytes, int length)
    {
        using var pool = new AlignedBufferPool(ByteSize.MiB(4));
        AlignedBuffer buffer = pool.Rent(bytes);
        Assert.Equal(length, buffer.Length);
        Assert.Equal(0, (nint)buffer.Pointer % AlignedBufferPool.Alignment);
        buffer.Span.Fill(1);
        Assert.Equal(length, pool.LentBytes);
        pool.Return(buffer);
        Assert.Equal((0, length), (pool.LentBytes, pool.IdleBytes));
    }

    [Fact]
    public void A_pool_of_small_buffers_has_more_of_them_in_the_same_memory()
    {
        using var pool = new AlignedBufferPool(ByteSize.KiB(8), unit: 1024);
        AlignedBuffer[] buffers = [.. Enumerable.Range(0, 8).Select(_ => pool.Rent(512))];
        Assert.All(
            buffers, static buffer => Assert.Equal((1024, 0), (buffer.Length, (int)((nint)buffer.Pointer % 1024))));
        Assert.False(pool.TryRent(1, out _));
        foreach (AlignedBuffer buffer in buffers) pool.Return(buffer);
        AlignedBuffer whole = pool.Rent(8 << 10);
        Assert.Equal(8 << 10, whole.Length);
        pool.Return(whole);
    }

    [Fact]
    public void Returned_memory_is_lent_again()
    {
        using var pool = new AlignedBufferPool(ByteSize.MiB(1));
        AlignedBuffer first = pool.Rent(5000);
        pool.Return(first);
        AlignedBuffer second = pool.Rent(8000);
        Assert.True(first.Pointer == second.Pointer);
        Assert.Equal(0, pool.IdleBytes);
        pool.Return(second);
    }

    [Fact]
    public void The_limit_holds_for_lent_and_idle_together()
    {
        using var pool = new AlignedBufferPool(ByteSize.KiB(16));
        AlignedBuffer[] small = [pool.Rent(4096), pool.Rent(4096), pool.Rent(4096), pool.Rent(4096)];
        Assert.False(pool.TryRent(1, out AlignedBuffer none));
        Assert.True(none.Pointer == null);
        var error = Assert.Throws<LimitExceededException>(() => pool.Rent(1));
        Assert.Contains("budget", error.Message, StringComparison.Ordinal);
        foreach (AlignedBuffer buffer in small) pool.Return(buffer);
        Assert.Equal(16384, pool.IdleBytes);

        Assert.True(pool.TryRent(8192, out AlignedBuffer large)); // idle ones of another size make way
        Assert.Equal((8192, 8192), (pool.LentBytes, pool.IdleBytes));
        Assert.False(pool.TryRent(16384, out _));
        pool.Return(large);
    }

    [Fact]
    public void Threads_lend_and_return_without_loss()
    {
        using var pool = new AlignedBufferPool(ByteSize.MiB(1));
        Parallel.For(0, 4, seed =>
        {
            var random = new Random(seed);
            for (int i = 0; i < 2000; i++)
            {
                if (!pool.TryRent(random.Next(1, 100_000), out AlignedBuffer buffer)) continue;
                *(long*)buffer.Pointer = seed * 10000L + i;
                Assert.InRange(pool.LentBytes, buffer.Length, pool.Limit.Bytes);
                Assert.Equal(seed * 10000L + i, *(long*)buffer.Pointer);
                pool.Return(buffer);
            }
        });
        Assert.Equal(0, pool.LentBytes);
        Assert.InRange(pool.IdleBytes, 1, pool.Limit.Bytes);
    }

    [Fact]
    public void After_dispose_idle_memory_is_gone_and_lent_memory_may_come_back()
    {
        var pool = new AlignedBufferPool(ByteSize.MiB(1));
        AlignedBuffer lent = pool.Rent(4096);
        pool.Return(pool.Rent(8192));
        pool.Dispose();
        Assert.Equal((4096, 0), (pool.LentBytes, pool.IdleBytes));
        pool.Return(lent);
        Assert.Equal((0, 0), (pool.LentBytes, pool.IdleBytes));
        Assert.Throws<ObjectDisposedException>(() => pool.TryRent(1, out _));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData((1 << 30) + 1)]
    public void Absurd_sizes_are_refused(int bytes)
    {
        using var pool = new AlignedBufferPool(ByteSize.MiB(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => pool.TryRent(bytes, out _));
    }
}
