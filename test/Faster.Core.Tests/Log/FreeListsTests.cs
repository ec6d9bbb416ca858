using Faster.Log;

namespace Faster.Tests.Log;

public sealed class FreeListsTests
{
    [Fact]
    public void A_record_leaves_limbo_when_its_epoch_is_safe_and_not_before()
    {
        var lists = new FreeLists();
        lists.AddToLimbo(epoch: 5, address: 100, sizeClass: 3);
        Assert.False(lists.TryTake(3, safeEpoch: 4, out _));
        Assert.Equal(1, lists.InLimbo);
        Assert.True(lists.TryTake(3, safeEpoch: 5, out long address));
        Assert.Equal((100, 0), (address, lists.InLimbo));
        Assert.False(lists.TryTake(3, 5, out _));
    }

    [Fact]
    public void Classes_do_not_mix()
    {
        var lists = new FreeLists();
        lists.Add(100, 3);
        lists.Add(200, 4);
        Assert.False(lists.TryTake(2, 0, out long address));
        Assert.Equal(0, address);
        Assert.False(lists.TryTake(99, 0, out _));
        Assert.True(lists.TryTake(4, 0, out address));
        Assert.Equal(200, address);
    }

    [Fact]
    public void Adopting_takes_everything_and_keeps_its_epochs()
    {
        FreeLists heir = new(), ended = new();
        ended.Add(100, 3);
        ended.AddToLimbo(7, 200, 3);
        heir.Adopt(ended);
        Assert.Equal((0, 1), (ended.InLimbo, heir.InLimbo));
        Assert.True(heir.TryTake(3, 6, out long address));
        Assert.Equal(100, address);
        Assert.False(heir.TryTake(3, 6, out _));
        Assert.True(heir.TryTake(3, 7, out address));
        Assert.Equal(200, address);
        Assert.False(ended.TryTake(3, 100, out _));
    }
}
