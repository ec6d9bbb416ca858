using Faster.Caching;

namespace Faster.Tests.Caching;

public sealed class CacheBalanceTests
{
    [Theory]
    [InlineData(5000, 100, 1)]   // as many bytes on both sides: hits against misses
    [InlineData(100, 5000, -1)]
    [InlineData(1000, 800, 0)]   // not enough to take memory from the log
    [InlineData(100, 10, 0)]     // too few to tell
    public void Memory_goes_where_it_is_of_more_use(long hits, long misses, int advice)
    {
        var balance = default(CacheBalance);
        Assert.Equal(advice, balance.Advise(hits, 1 << 20, misses, 1 << 20));
    }

    [Fact]
    public void Use_is_counted_by_byte()
    {
        var balance = default(CacheBalance);
        Assert.Equal(1, balance.Advise(1000, 1 << 10, 1000, 1 << 20));
        Assert.Equal(-1, balance.Advise(2000, 1 << 20, 2000, 1 << 10));
    }

    [Fact]
    public void Only_what_has_come_since_the_last_advice_counts()
    {
        var balance = default(CacheBalance);
        Assert.Equal(1, balance.Advise(10_000, 1 << 20, 0, 1 << 20));
        Assert.Equal(0, balance.Advise(10_100, 1 << 20, 0, 1 << 20));
        Assert.Equal(-1, balance.Advise(10_100, 1 << 20, 5_000, 1 << 20));
    }
}
