using Faster.Checkpoints.Recovery;

namespace Faster.Tests.Checkpoints.Recovery;

/// <summary>Pages become ready in order, each when it and all pages below it are loaded.</summary>
public sealed class PagesInMemoryTests
{
    private readonly List<long> _ready = [];

    [Fact]
    public void A_page_is_ready_when_all_parts_up_to_its_end_are_loaded()
    {
        var pages = new PagesInMemory(12, from: 3 * 4096, to: (5 * 4096) + 100); // pages 3, 4, and a part of 5
        pages.Load(4 * 4096, 5 * 4096, _ready.Add);
        pages.Load((3 * 4096) + 1000, 4 * 4096, _ready.Add);
        Assert.Empty(_ready);
        pages.Load(3 * 4096, (3 * 4096) + 1000, _ready.Add);
        Assert.Equal([3, 4], _ready);
        pages.Load(5 * 4096, (5 * 4096) + 100, _ready.Add);
        Assert.Equal([3, 4, 5], _ready);
    }

    [Fact]
    public void The_first_page_begins_where_the_memory_does()
    {
        var pages = new PagesInMemory(12, from: 64, to: 4096);
        pages.Load(64, 4096, _ready.Add);
        Assert.Equal([0], _ready);
    }

    [Fact]
    public void All_are_settled_when_each_is()
    {
        var pages = new PagesInMemory(12, from: 4096, to: 3 * 4096);
        pages.SetSettled(1, true);
        pages.SetSettled(2, false);
        Assert.Equal((true, false, false), (pages.IsSettled(1), pages.IsSettled(2), pages.AreSettled));
        pages.SetSettled(2, true);
        Assert.True(pages.AreSettled);
        Assert.True(new PagesInMemory(12, from: 4096, to: 4096).AreSettled);
    }
}
