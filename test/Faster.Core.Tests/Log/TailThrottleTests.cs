using Faster.Log;
using Faster.Operations.Waiting;
using Faster.Tests.Engines;
using Faster.Tests.Expiry;

namespace Faster.Tests.Log;

/// <summary>Which appends are delayed at the tail of a log whose disk is full, and for how long.</summary>
public sealed class TailThrottleTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly WaitGate _gate = new();
    private readonly TailThrottle _throttle;
    private long _fullFrom = 10; // the first page without space
    private bool _pauses;

    public TailThrottleTests() => _throttle = Make(pageBytes: 64 << 10);

    public void Dispose() => _throttle.Dispose();

    [Fact]
    public void Only_pages_without_space_are_held_back_and_only_while_it_is_engaged()
    {
        Assert.False(_throttle.HoldsBack(10));
        _throttle.Engage();
        Assert.False(_throttle.HoldsBack(9));
        Assert.True(_throttle.HoldsBack(10));
        _fullFrom = 11;
        Assert.False(_throttle.HoldsBack(10));
        Assert.True(_throttle.HoldsBack(11));
        _throttle.Disengage();
        Assert.False(_throttle.HoldsBack(11));
    }

    [Fact]
    public void Threads_that_free_space_pass_and_all_pass_while_it_pauses()
    {
        _throttle.Engage();
        Assert.False(TailThrottle.Pass(true));
        Assert.False(_throttle.HoldsBack(10));
        Assert.True(TailThrottle.Pass(false));
        _pauses = true;
        Assert.False(_throttle.HoldsBack(10));
        _pauses = false;
        Assert.True(_throttle.HoldsBack(10));
    }

    [Theory]
    [InlineData(64 << 10, 250)]
    [InlineData(1 << 20, 1000)] // which takes four seconds to fill
    public void A_page_is_held_back_while_it_could_be_filled_and_no_longer_than_a_second(int pageBytes, int delay)
    {
        using TailThrottle throttle = Make(pageBytes);
        throttle.Engage();
        for (long page = 10; page < 13; page++)
        {
            Assert.True(throttle.HoldsBack(page));
            _time.Advance(delay - 1);
            Assert.True(throttle.HoldsBack(page));
            _time.Advance(1);
            Assert.False(throttle.HoldsBack(page));
        }
    }

    [Fact]
    public void A_delay_ends_although_compaction_opens_page_after_page()
    {
        _throttle.Engage();
        for (int delays = 0, page = 10; delays < 3; delays++)
        {
            for (int part = 0; part < 5; part++, _time.Advance(50))
                Assert.True(_throttle.HoldsBack(page++));
            Assert.False(_throttle.HoldsBack(page));
            Assert.False(_throttle.HoldsBack(page++)); // until it is full
        }
    }

    [Fact]
    public async Task Operations_that_are_held_back_retry_by_themselves()
    {
        _throttle.Engage();
        for (int i = 0; i < 3; i++)
        {
            Assert.True(_throttle.HoldsBack(_fullFrom));
            await LookAsync(static () => { });
            await LookAsync(() => _fullFrom++); // no append is delayed any more: the next one begins anew
        }
    }

    [Fact]
    public Task Operations_that_wait_go_on_when_it_ends() => LookAsync(_throttle.Disengage);

    [Fact]
    public void It_can_be_asked_when_it_is_disposed_of()
    {
        _throttle.Engage();
        _throttle.Dispose();
        Assert.False(_throttle.HoldsBack(10));
        _throttle.Engage();
        Assert.True(_throttle.HoldsBack(10));
    }

    // Ends when the gate opens after a change that is not signaled; the waiter is there before it.
    private async Task LookAsync(Action change)
    {
        bool isOver = false;
        Task waiting = _gate.WaitForAsync(() => Volatile.Read(ref isOver), default);
        Volatile.Write(ref isOver, true);
        change();
        await waiting.WaitAsync(TestBudget.StallTimeout);
    }

    private TailThrottle Make(long pageBytes) =>
        new(() => _fullFrom, () => _pauses, _gate, pageBytes) { Time = _time };
}
