using Faster.Log;

namespace Faster.Tests.Store;

public sealed class StoreClockTests
{
    [Fact]
    public void The_time_never_goes_back()
    {
        var time = new ManualTime();
        var clock = new StoreClock(time);
        long before = clock.Now;
        Assert.Equal(time.Now, before);
        time.Advance(-1000);
        Assert.Equal(before, clock.Now);
        time.Advance(1001);
        Assert.Equal(before + 1, clock.Now);
    }

    [Fact]
    public void A_time_to_live_is_rounded_up_and_not_negative()
    {
        Assert.Equal(0, StoreClock.Milliseconds(TimeSpan.Zero, "it"));
        Assert.Equal(1, StoreClock.Milliseconds(TimeSpan.FromTicks(1), "it"));
        Assert.Equal(1, StoreClock.Milliseconds(TimeSpan.FromMilliseconds(1), "it"));
        Assert.Equal(922_337_203_685_478, StoreClock.Milliseconds(TimeSpan.MaxValue, "it"));
        Assert.Throws<ArgumentOutOfRangeException>(() => StoreClock.Milliseconds(TimeSpan.FromTicks(-1), "it"));
    }

    [Fact]
    public void The_longest_life_is_for_ever_once_somebody_writes_for_ever()
    {
        var clock = new StoreClock(new ManualTime());
        clock.Begin(5, null);
        clock.Begin(3, null);
        Assert.Equal(5, clock.LongestLife);
        clock.Begin(0, null);
        clock.Begin(9, null);
        Assert.Equal(RecordExpiry.Never, clock.LongestLife);
    }
}
