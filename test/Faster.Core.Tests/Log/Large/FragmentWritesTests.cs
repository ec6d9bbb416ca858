using Faster.Log.Large;
using Faster.Operations.Waiting;
using Faster.Tests.Expiry;

namespace Faster.Tests.Log.Large;

/// <summary>Which part of the log writers of large values pin.</summary>
public sealed class FragmentWritesTests
{
    private readonly ManualTime _time = new();
    private readonly FragmentWrites _writes;

    public FragmentWritesTests() => _writes = new FragmentWrites { Time = _time };

    [Fact]
    public void The_lowest_writer_is_held_until_all_have_ended()
    {
        Assert.Equal((long.MaxValue, 0), (_writes.LowestHeld(), _writes.Count));
        FragmentWrites.Write first = _writes.Begin(100), second = _writes.Begin(200);
        Assert.Equal((100, 2), (_writes.LowestHeld(), _writes.Count));
        first.Move(250);
        second.Move(240);
        Assert.Equal((250, 240, 240), (first.Address, second.Address, _writes.LowestHeld()));
        second.End();
        second.End();
        Assert.Equal((250, 1), (_writes.LowestHeld(), _writes.Count));
        first.End();
        Assert.Equal((long.MaxValue, 0), (_writes.LowestHeld(), _writes.Count));
    }

    [Fact]
    public void A_writer_that_has_not_moved_for_long_holds_nothing_until_it_moves()
    {
        FragmentWrites.Write still = _writes.Begin(100), moving = _writes.Begin(200);
        _time.Advance((long)FragmentWrites.StallTimeout.TotalMilliseconds - 1);
        Assert.Equal(100, _writes.LowestHeld());
        moving.Move(200);
        _time.Advance(1);
        Assert.Equal((200, 2), (_writes.LowestHeld(), _writes.Count));
        still.Move(100);
        Assert.Equal(100, _writes.LowestHeld());
    }

    [Fact]
    public void The_floor_never_falls()
    {
        foreach ((long raised, long floor) in new[] { (10L, 10L), (5L, 10L), (10L, 10L), (11L, 11L) })
        {
            _writes.RaiseFloor(raised);
            Assert.Equal(floor, _writes.Floor);
        }
    }
}
