using Faster.Contracts;
using Faster.Log;

namespace Faster.Tests.Log;

public sealed class LogTailTests
{
    [Fact]
    public void Space_is_taken_in_sequence_until_the_page_is_full()
    {
        var tail = new LogTail(12, 64);
        Assert.True(tail.TryTake(4000, out long first, out long page));
        Assert.True(tail.TryTake(32, out long second, out _));
        Assert.Equal((64, 4064, 0), (first, second, page));
        Assert.Equal(4096, tail.Address);
        Assert.False(tail.TryTake(8, out _, out page));
        Assert.Equal(0, page);
    }

    [Fact]
    public void A_page_is_turned_once_and_only_from_where_the_tail_is()
    {
        var tail = new LogTail(12, 64);
        Assert.False(tail.TryTurn(1));
        Assert.True(tail.TryTurn(0));
        Assert.False(tail.TryTurn(0));
        Assert.Equal(1, tail.Page);
        Assert.True(tail.TryTake(4096, out long address, out _));
        Assert.Equal(4096, address);
        Assert.Equal(8192, tail.Address);
    }

    [Fact]
    public void A_record_that_does_not_fit_leaves_the_tail_where_it_is()
    {
        var tail = new LogTail(12, 64);
        for (int i = 0; i < 10; i++) Assert.False(tail.TryTake(4040, out _, out _));
        Assert.Equal(64, tail.Address);
    }

    [Fact]
    public void Addresses_of_high_pages_keep_all_their_bits()
    {
        long address = (1L << 47) + 40;
        var tail = new LogTail(25, address);
        Assert.Equal(address, tail.Address);
        Assert.True(tail.TryTake(8, out long taken, out long page));
        Assert.Equal((address, address >> 25), (taken, page));
        Assert.True(tail.TryTurn(page));
        Assert.Equal((page + 1) << 25, tail.Address);
    }
}
