using Faster.Log;
using Faster.Tests.Store;

namespace Faster.Tests.Log;

/// <summary>What writers of large values hold of the log.</summary>
public sealed class ChunkWritesTests
{
    private readonly ManualTime _time = new();
    private readonly ChunkWrites _writes;

    public ChunkWritesTests() => _writes = new ChunkWrites { Time = _time };

    [Fact]
    public void The_lowest_of_those_who_write_is_held_until_they_have_ended()
    {
        Assert.Equal((long.MaxValue, 0), (_writes.LowestHeld(), _writes.Count));
        ChunkWrites.Write first = _writes.Begin(100), second = _writes.Begin(200);
        Assert.Equal((100, 2), (_writes.LowestHeld(), _writes.Count));
        first.Move(150);
        second.Move(140);
        Assert.Equal((150, 140, 140), (first.Address, second.Address, _writes.LowestHeld()));
        second.End();
        second.End();
        Assert.Equal((150, 1), (_writes.LowestHeld(), _writes.Count));
        first.End();
        Assert.Equal((long.MaxValue, 0), (_writes.LowestHeld(), _writes.Count));
    }

    [Fact]
    public void Who_has_not_moved_for_long_holds_nothing_until_he_moves()
    {
        ChunkWrites.Write still = _writes.Begin(100), moving = _writes.Begin(200);
        _time.Advance((long)ChunkWrites.Patience.TotalMilliseconds - 1);
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
