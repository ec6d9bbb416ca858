using Faster.Contracts;
using Faster.Expiry;
using Faster.Log.Records;
using Faster.Tests.Opening;

namespace Faster.Tests.Expiry;

public sealed class StoreClockTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);
    private static readonly RecordSchema Schema = new(8, 8, 8, "key", "number");

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
    public void Nor_does_it_begin_before_that_of_a_commit()
    {
        var time = new ManualTime();
        var clock = new StoreClock(time, floor: time.Now + 10);
        Assert.Equal((time.Now + 10, TimeSpan.FromMilliseconds(10)), (clock.Now, clock.Behind));
        time.Advance(11);
        Assert.Equal((time.Now, TimeSpan.Zero), (clock.Now, clock.Behind));
        clock = StoreClock.For(new StoreOptions { TimeProvider = time, AllowClockRollback = true }, Schema,
            time.Now + 10);
        Assert.Equal(time.Now, clock.Now);
    }

    [Fact]
    public void Far_from_an_expiry_the_time_is_not_read_while_it_is_recent()
    {
        var time = new ManualTime();
        var clock = new StoreClock(time);
        clock.Publish();
        long first = clock.Recent;
        Assert.Equal(time.Now, first);
        time.Advance(10);
        Assert.Equal((first, first), (clock.Recent, clock.TimeFor(first + StoreClock.Near + 1)));
        Assert.Equal(first + 10, clock.TimeFor(first + StoreClock.Near));
        Assert.Equal(first + 10, clock.Recent); // a time that one session has read is the time for all
        time.Advance(10);
        clock.Publish();
        Assert.Equal(first + 20, clock.TimeFor(RecordExpiry.Never));
        time.Advance(10);
        clock.Withdraw();
        Assert.Equal(first + 30, clock.Recent);
        time.Advance(-100_000);
        clock.Publish();
        Assert.Equal(first + 30, clock.Recent);
    }

    [Fact]
    public void The_time_is_read_each_time_where_a_test_moves_it()
    {
        var time = new ManualTime();
        var clock = new StoreClock(time);
        Assert.Equal(time.Now, clock.Recent);
        time.Advance(1);
        Assert.Equal(time.Now, clock.TimeFor(RecordExpiry.Never));
    }

    [Fact]
    public unsafe void The_systems_time_is_read_only_while_it_is_asked_for()
    {
        var clock = new StoreClock(TimeProvider.System);
        for (int again = 0; again < 2; again++)
        {
            Assert.False(clock.Word->IsRecent);
            long before = TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds();
            long asked = clock.Recent;
            Assert.True(asked >= before);

            // The word advances although nobody reads the time, until nobody has asked for some turns.
            Assert.True(SpinWait.SpinUntil(() => clock.Word->Latest > asked, Limit));
            Assert.True(SpinWait.SpinUntil(() => !clock.Word->IsRecent, Limit));
        }
    }

    [Fact]
    public void A_caller_that_can_not_wait_for_the_epoch_leaves_it_to_the_next()
    {
        var clock = new StoreClock(new ManualTime());
        Assert.Throws<InsufficientMemoryException>(() => clock.Begin(5, () => throw new InsufficientMemoryException()));
        Assert.False(clock.Begun.IsCompleted);
        Assert.Throws<TimeoutException>(() => clock.Begin(5, () => Task.FromException(new TimeoutException())));
        Assert.False(clock.Begun.IsCompleted);
        int waits = 0;
        clock.Begin(5, () => Task.FromResult(waits++));
        clock.Begin(5, () => Task.FromResult(waits++));
        Assert.Equal((1, true, true), (waits, clock.MayExpire, clock.Begun.IsCompleted));
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
    public void The_shortest_life_is_that_of_records_that_expire()
    {
        var clock = new StoreClock(new ManualTime());
        clock.Begin(0, null);
        Assert.Equal(RecordExpiry.Never, clock.ShortestLife);
        clock.Begin(5, null);
        clock.Begin(3, null);
        clock.Begin(9, null);
        clock.Begin(0, null);
        Assert.Equal(3, clock.ShortestLife);
    }
}
