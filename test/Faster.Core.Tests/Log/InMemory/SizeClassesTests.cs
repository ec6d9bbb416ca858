using Faster.Log.InMemory;

namespace Faster.Tests.Log.InMemory;

public sealed class SizeClassesTests
{
    [Fact]
    public void Each_size_has_the_smallest_class_that_holds_it()
    {
        int before = 0;
        for (int size = 8; size <= 1 << 16; size += 8) before = Check(size, before);
        for (int size = 1 << 16; size <= SizeClasses.Most; size += 4104 - (size % 4096 == 0 ? 4096 : 0)) Check(size, 0);
        Assert.Equal(SizeClasses.Most, SizeClasses.BytesOf(SizeClasses.Holding(SizeClasses.Most)));
        Assert.Equal(SizeClasses.Count - 1, SizeClasses.Holding(SizeClasses.Most));
    }

    [Fact]
    public void Bytes_that_are_left_have_the_largest_class_that_fits()
    {
        for (long bytes = SizeClasses.Least; bytes < 200_000; bytes += 8)
        {
            int within = SizeClasses.Within(bytes);
            Assert.True(SizeClasses.BytesOf(within) <= bytes);
            Assert.True(SizeClasses.BytesOf(within + 1) > bytes);
        }

        Assert.Equal(SizeClasses.Count - 1, SizeClasses.Within(1L << 40));
    }

    private static int Check(int size, int before)
    {
        int sizeClass = SizeClasses.Holding(size), bytes = SizeClasses.BytesOf(sizeClass);
        Assert.InRange(bytes, size, size * 9 / 8);
        Assert.Equal(0, bytes % 8);
        Assert.True(SizeClasses.BytesOf(sizeClass - 1) < size);
        Assert.True(sizeClass >= before);
        return sizeClass;
    }
}
