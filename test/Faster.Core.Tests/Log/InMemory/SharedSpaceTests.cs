using Faster.Contracts;
using Faster.Log.InMemory;

namespace Faster.Tests.Log.InMemory;

public sealed class SharedSpaceTests
{
    [Fact]
    public void Blocks_in_limbo_are_free_when_their_newest_epoch_is_safe()
    {
        using var shared = new SharedSpace(1 << 20, 1 << 20, hasReserve: false);
        shared.PutInLimbo([]);
        shared.PutInLimbo([new FreedBlock(5, 8, 3), new FreedBlock(6, 80, 4)]);
        shared.PutInLimbo([new FreedBlock(4, 800, 3)]);
        Assert.Equal(2, shared.InLimbo);
        Assert.False(shared.TryTakeFromLimbo(5, out _));
        Assert.True(shared.TryTakeFromLimbo(6, out FreedBlock[]? blocks));
        Assert.Equal([8, 80], blocks.Select(block => block.Address));
        Assert.True(shared.TryTakeFromLimbo(6, out blocks));
        Assert.Equal(800, Assert.Single(blocks).Address);
        Assert.Equal(0, shared.InLimbo);
    }

    [Theory]
    [InlineData(64, 16 << 10)]        // a 64th
    [InlineData(24 << 10, 24 << 10)]  // the largest block so far
    [InlineData(256 << 10, 128 << 10)] // an eighth at most
    public void The_reserve_is_for_replacements_only(int size, int reserve)
    {
        const int Limit = 1 << 20;
        using var shared = new SharedSpace(Limit, Limit, hasReserve: true);
        while (Take(shared, size, replaces: false) != 0) { }
        Assert.InRange(shared.BytesTaken, Limit - (reserve * 65 / 64) - (2 * size), Limit - reserve);
        int replaced = 0;
        while (Take(shared, 64, replaces: true) != 0) replaced += 64;
        Assert.InRange(replaced, reserve, reserve + (2 * size));
    }

    [Fact]
    public void Bytes_taken_and_their_map_stay_within_a_limit_and_what_is_above_a_lower_one_is_zeroed()
    {
        const int Most = 8 << 20;
        using var shared = new SharedSpace(Most, Most, hasReserve: false);
        long first = Take(shared, 1024, false), last = first;
        for (long block; (block = Take(shared, 1024, false)) != 0;) Mark(last = block, -1);
        Assert.InRange(shared.BytesTaken, Most - 2048, Most);
        Assert.InRange(last - first, Most * 63L / 64, Most * 64L / 65);
        for (long block = first + (1 << 20); block <= last; block += 1024) shared.Give(block, 1024);
        shared.SetLimit(2 << 20);
        Assert.Equal(0, Read(last));
        Assert.Equal(-1, Read(first + 1024));
        while (Take(shared, 1024, false) != 0) { }
        Assert.InRange(shared.BytesTaken, (2 << 20) - 2048, 2 << 20);
    }

    private static long Take(SharedSpace shared, int size, bool replaces)
    {
        (long Next, long End) piece = default;
        SpaceFor use = replaces ? SpaceFor.Replacement : SpaceFor.NewRecord;
        return shared.TryTake(size, size, use, ref piece) ? piece.Next : 0;
    }

    private static unsafe void Mark(long block, long value) => *(long*)block = value;

    private static unsafe long Read(long block) => *(long*)block;
}
