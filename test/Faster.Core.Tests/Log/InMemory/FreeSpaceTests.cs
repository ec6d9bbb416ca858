using System.Runtime.InteropServices;
using Faster.Invariants;
using Faster.Log.InMemory;
using Faster.Tests.Faults;

namespace Faster.Tests.Log.InMemory;

public sealed unsafe class FreeSpaceTests : IDisposable
{
    private const int Bytes = 32 << 20;
    private readonly byte* _memory = (byte*)NativeMemory.AlignedAlloc(Bytes, 4096);
    private readonly FreeSpace _space;

    public FreeSpaceTests() => _space = new FreeSpace((long)_memory, Bytes);

    public void Dispose()
    {
        _space.Dispose();
        NativeMemory.AlignedFree(_memory);
    }

    [Theory]
    [InlineData(0, 1, 2)]
    [InlineData(0, 2, 1)]
    [InlineData(1, 0, 2)]
    [InlineData(1, 2, 0)]
    [InlineData(2, 0, 1)]
    [InlineData(2, 1, 0)]
    public void Neighbors_are_joined_in_each_order_and_the_last_ones_lower_the_end(int first, int second, int third)
    {
        long[] blocks = [Take(24), Take(8), Take(1024)];
        int[] sizes = [24, 8, 1024];
        long end = Take(40);
        foreach (int i in new[] { first, second, third }) _space.Give(blocks[i], sizes[i]);
        Assert.Equal([(blocks[0], 24 + 8 + 1024)], Free());
        _space.Give(end, 40);
        Assert.Empty(Free());
        Assert.Equal((_space.Start, 0L), (_space.End, _space.Bytes));
    }

    [Fact]
    public void The_smallest_block_that_is_large_enough_is_used_and_the_rest_stays_free()
    {
        long small = Take(64), one = Take(16), large = Take(1 << 20), two = Take(16), middle = Take(96);
        _ = (one, two, Take(16));
        _space.Give(large, 1 << 20);
        _space.Give(small, 64);
        _space.Give(middle, 96);
        Assert.Equal(middle, Take(72));
        Assert.Equal([(small, 64), (large, 1 << 20), (middle + 72, 24)], Free());
        Assert.Equal(large, _space.Take(96, wanted: 4096, long.MaxValue, out int bytes));
        Assert.Equal(4096, bytes); // a large block gives more than is needed
        Assert.Equal(small, _space.Take(40, wanted: 64, long.MaxValue, out bytes));
        Assert.Equal(40, bytes); // another one does not
    }

    [Fact]
    public void The_end_does_not_pass_its_bound()
    {
        long bound = _space.Start + 100;
        Assert.NotEqual(0, _space.Take(64, wanted: 4096, bound, out int bytes));
        Assert.Equal(64, bytes);
        Assert.Equal(0, _space.Take(64, wanted: 4096, bound, out _));
        Assert.NotEqual(0, _space.Take(32, wanted: 32, bound, out _));
    }

    [Fact]
    public void A_block_that_is_given_back_twice_is_found()
    {
        long block = Take(64), other = Take(64), last = Take(64);
        _space.Give(block, 64);
        Assert.Throws<InvariantException>(() => _space.Give(block, 64));
        Assert.Throws<InvariantException>(() => _space.Give(last, 128));
        _space.Give(other, 64);
        Assert.Throws<InvariantException>(() => _space.Give(other, 64));
    }

    [Fact]
    public void The_free_space_is_the_space_that_is_not_taken()
    {
        var taken = new SortedList<long, int>();
        var random = new Random(5);
        for (int i = 0; i < TestBudget.Times(20_000); i++)
        {
            if (taken.Count == 0 || (random.Next(100) < 52 && taken.Count < 1000))
            {
                int most = random.Next(50) == 0 ? 2 << 20 : random.Next(4) == 0 ? 4096 : 80;
                int size = SizeClasses.BytesOf(SizeClasses.Holding(8 * random.Next(1, most / 8)));
                long block = _space.Take(size, size, _space.Start + Bytes, out _);
                if (block != 0) taken.Add(block, size);
            }
            else
            {
                int at = random.Next(taken.Count);
                _space.Give(taken.GetKeyAtIndex(at), taken.GetValueAtIndex(at));
                taken.RemoveAt(at);
            }

            if (i % 200 == 0) Check(taken);
        }

        foreach ((long block, int size) in taken) _space.Give(block, size);
        Assert.Equal((_space.Start, 0L), (_space.End, _space.Bytes));
    }

    [Theory]
    [InlineData(16 << 10, false)]
    [InlineData(1000, false)]
    [InlineData(64 << 10, true)]
    public void At_60_percent_live_churn_of_mixed_sizes_is_never_refused(int most, bool isLogarithmic)
    {
        var random = new Random(6);
        var taken = new List<(long Block, int Size)>();
        long live = 0;
        for (int i = 0; i < TestBudget.Times(150_000); i++)
        {
            int length = isLogarithmic
                ? (int)Math.Exp(random.NextDouble() * Math.Log(most))
                : random.Next(1, most);
            int size = SizeClasses.BytesOf(SizeClasses.Holding((length + 7) & ~7));
            while (live + size > Bytes * 6L / 10)
            {
                int at = random.Next(taken.Count);
                (long block, int old) = taken[at];
                _space.Give(block, old);
                (taken[at], live) = (taken[^1], live - old);
                taken.RemoveAt(taken.Count - 1);
            }

            long fresh = _space.Take(size, size, _space.Start + Bytes, out _);
            Assert.True(fresh != 0, $"{size} bytes are refused with {live} live and {_space.Bytes} free.");
            taken.Add((fresh, size));
            live += size;
        }

        Check(new SortedList<long, int>(taken.ToDictionary(one => one.Block, one => one.Size)));
        Assert.InRange(_space.End - _space.Start, live, Bytes * 3L / 4);
    }

    private void Check(SortedList<long, int> taken)
    {
        long at = _space.Start;
        List<(long, long)> expected = [];
        foreach ((long block, int size) in taken)
        {
            if (block > at) expected.Add((at, block - at));
            at = block + size;
        }

        Assert.Equal(at, _space.End);
        Assert.Equal(expected, Free());
    }

    private List<(long Block, long Size)> Free()
    {
        List<(long, long)> free = [];
        _space.Walk((block, size) => free.Add((block, size)));
        return free;
    }

    private long Take(int size)
    {
        long block = _space.Take(size, size, _space.Start + Bytes, out int bytes);
        Assert.Equal(size, bytes);
        return block;
    }
}
