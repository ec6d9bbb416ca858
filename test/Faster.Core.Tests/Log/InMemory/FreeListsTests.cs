using System.Runtime.InteropServices;
using Faster.Log.InMemory;

namespace Faster.Tests.Log.InMemory;

public sealed unsafe class FreeListsTests : IDisposable
{
    private readonly byte* _memory = (byte*)NativeMemory.AllocZeroed(4096);

    public void Dispose() => NativeMemory.Free(_memory);

    [Fact]
    public void A_block_leaves_limbo_when_its_epoch_is_safe_and_not_before()
    {
        var lists = new FreeLists();
        long block = Block(0);
        lists.AddToLimbo(new FreedBlock(Epoch: 5, block, Class: 3));
        Assert.Equal((1, 24L), (lists.InLimbo, lists.LimboBytes));
        Assert.False(lists.TryTakeFromLimbo(safeEpoch: 4, out _));
        Assert.Equal(0, *(long*)block); // a reader may still use it
        Assert.True(lists.TryTakeFromLimbo(safeEpoch: 5, out FreedBlock freed));
        Assert.Equal((block, 3, 0, 0L), (freed.Address, freed.Class, lists.InLimbo, lists.LimboBytes));
        Assert.False(lists.TryTakeFromLimbo(5, out _));
    }

    [Fact]
    public void Classes_do_not_mix()
    {
        var lists = new FreeLists();
        lists.Add(Block(0), 3);
        lists.Add(Block(1), 4);
        Assert.False(lists.TryTake(2, out long address));
        Assert.Equal(0, address);
        Assert.True(lists.TryTake(4, out address));
        Assert.Equal(Block(1), address);
        Assert.Equal((24L, 1, 0), (lists.FreeBytes, lists.Count(3), lists.Count(4)));
    }

    [Fact]
    public void All_blocks_of_a_class_are_released_and_classes_take_turns()
    {
        var lists = new FreeLists();
        Assert.True(lists.IsEmpty);
        for (int i = 0; i < 3; i++) lists.Add(Block(i), 3);
        lists.Add(Block(3), 7);
        Assert.Equal([3, 7, 3], Enumerable.Range(0, 3).Select(_ => lists.NextClass()));
        var given = new List<long>();
        for (long block = lists.TakeAll(3); block != 0; block = FreeLists.Next(block)) given.Add(block);
        Assert.Equal([Block(0), Block(1), Block(2)], given.Order());
        Assert.Equal((0, 56L, 1), (lists.Count(3), lists.FreeBytes, lists.Count(7)));
        Assert.False(lists.TryTake(3, out _));
        Assert.True(lists.TryTake(7, out _));
        Assert.True(lists.IsEmpty);
    }

    [Fact]
    public void Limbo_is_given_out_oldest_first()
    {
        var lists = new FreeLists();
        lists.AddToLimbo(new FreedBlock(5, Block(0), 3));
        lists.AddToLimbo(new FreedBlock(7, Block(1), 4));
        FreedBlock[] blocks = lists.TakeLimbo();
        Assert.Equal([5, 7], blocks.Select(block => block.Epoch));
        Assert.Equal((0, 0L), (lists.InLimbo, lists.LimboBytes));
    }

    private long Block(int number) => (long)_memory + (number * 64);
}
