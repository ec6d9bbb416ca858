using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Log.InMemory;

namespace Faster.Tests.Log.InMemory;

public sealed unsafe class SharedFreeListsTests : IDisposable
{
    private readonly byte* _memory = (byte*)NativeMemory.AllocZeroed(1 << 16);
    private readonly SharedFreeLists<NoProbe> _shared = new();

    public void Dispose() => NativeMemory.Free(_memory);

    [Fact]
    public void Batches_come_out_as_they_went_in()
    {
        _shared.Put(3, Batch(0, 1, 2));
        _shared.Put(3, Batch(3));
        Assert.False(_shared.TryTake(4, out _));
        Assert.True(_shared.TryTake(3, out (long First, int Count) blocks));
        Assert.Equal([3], Numbers(blocks));
        Assert.True(_shared.TryTake(3, out blocks));
        Assert.Equal([0, 1, 2], Numbers(blocks));
        Assert.False(_shared.TryTake(3, out _));
    }

    [Fact]
    public void Where_a_class_has_none_the_next_larger_one_gives()
    {
        _shared.Put(200, Batch(0));
        _shared.Put(70, Batch(1));
        int sizeClass = 71;
        Assert.True(_shared.TryTakeLarger(ref sizeClass, out (long First, int Count) blocks));
        Assert.Equal((200, 0), (sizeClass, Numbers(blocks).Single()));
        Assert.False(_shared.TryTakeLarger(ref sizeClass, out _));
        sizeClass = 3;
        Assert.True(_shared.TryTakeLarger(ref sizeClass, out blocks));
        Assert.Equal((70, 1), (sizeClass, Numbers(blocks).Single()));
    }

    [Theory]
    [InlineData(71, 74)]
    [InlineData(64, 64)]
    [InlineData(5, 127)]
    [InlineData(1, 128)]
    [InlineData(130, SizeClasses.Count - 1)]
    public void The_smallest_that_is_large_enough_is_found_in_each_place(int wanted, int there)
    {
        _shared.Put(there, Batch(0));
        if (wanted > 1) _shared.Put(wanted - 1, Batch(1));
        int sizeClass = wanted;
        Assert.True(_shared.TryTakeLarger(ref sizeClass, out _));
        Assert.Equal(there, sizeClass);
    }

    [Fact]
    public void What_is_in_limbo_comes_out_when_its_newest_epoch_is_safe()
    {
        _shared.PutInLimbo([]);
        _shared.PutInLimbo([new FreedBlock(5, Block(0), 3), new FreedBlock(6, Block(1), 4)]);
        _shared.PutInLimbo([new FreedBlock(4, Block(2), 3)]);
        Assert.Equal(2, _shared.InLimbo);
        Assert.False(_shared.TryTakeFromLimbo(5, out _));
        Assert.True(_shared.TryTakeFromLimbo(6, out FreedBlock[]? blocks));
        Assert.Equal([Block(0), Block(1)], blocks.Select(block => block.Address));
        Assert.True(_shared.TryTakeFromLimbo(6, out blocks));
        Assert.Equal(Block(2), Assert.Single(blocks).Address);
        Assert.Equal(0, _shared.InLimbo);
    }

    private (long First, int Count) Batch(params int[] numbers)
    {
        for (int i = 0; i < numbers.Length; i++)
            *(long*)Block(numbers[i]) = i + 1 < numbers.Length ? Block(numbers[i + 1]) : 0;
        return (Block(numbers[0]), numbers.Length);
    }

    private int[] Numbers((long First, int Count) blocks)
    {
        var numbers = new int[blocks.Count];
        long address = blocks.First;
        for (int i = 0; i < numbers.Length; i++, address = *(long*)address)
            numbers[i] = (int)((address - (long)_memory) / 64);
        return numbers;
    }

    private long Block(int number) => (long)_memory + (number * 64);
}
