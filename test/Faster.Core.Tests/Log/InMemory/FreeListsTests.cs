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
    public void What_is_passed_on_is_taken_over_as_a_whole()
    {
        FreeLists from = new(), to = new();
        for (int i = 0; i < 3; i++) from.Add(Block(i), 3);
        to.Put(3, from.TakeAll(3));
        Assert.Equal((0, 0L, 3, 72L), (from.Count(3), from.FreeBytes, to.Count(3), to.FreeBytes));
        Assert.False(from.TryTake(3, out _));
        var taken = new HashSet<long>();
        while (to.TryTake(3, out long address)) Assert.True(taken.Add(address));
        Assert.Equal([Block(0), Block(1), Block(2)], taken.Order());
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
