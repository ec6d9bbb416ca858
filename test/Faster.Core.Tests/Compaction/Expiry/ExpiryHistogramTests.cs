using Faster.Compaction.Expiry;

namespace Faster.Tests.Compaction.Expiry;

public sealed class ExpiryHistogramTests
{
    private const long Now = 1_900_000_000_000;

    [Fact]
    public void Bytes_are_dead_from_their_time_on()
    {
        var part = new ExpiryHistogram(64, 4096, Now);
        part.AddLasting(1);
        part.AddDead(10);
        part.Add(100, Now - 5);
        part.Add(1_000, Now + 4);
        part.Add(10_000, Now + 5);
        Assert.Equal(
            (11_111, 110, 110, 1_110, 11_110),
            (part.Bytes, part.DeadAt(Now), part.DeadAt(Now + 3), part.DeadAt(Now + 4), part.DeadAt(Now + 5)));
    }

    [Fact]
    public void Times_are_never_too_early_and_at_most_an_eighth_late()
    {
        var random = new Random(3);
        for (int i = 0; i < 20_000; i++)
        {
            long left = random.NextInt64(1, 1L << random.Next(1, 61));
            var part = new ExpiryHistogram(0, 1, 0);
            part.Add(8, left);
            Assert.Equal((0, 8), (part.DeadAt(left - 1), part.DeadAt(left + (left / 8))));
        }
    }

    [Fact]
    public void Two_parts_become_one_that_is_never_too_early()
    {
        var part = new ExpiryHistogram(0, 10, Now);
        var next = new ExpiryHistogram(10, 30, Now + 1000);
        part.Add(1, Now + 100);
        next.AddLasting(2);
        next.AddDead(4);
        next.Add(8, Now + 9000);
        part.Append(next);
        Assert.Equal((0, 30, 15), (part.From, part.Until, part.Bytes));
        Assert.Equal((0, 5, 5, 13), (
            part.DeadAt(Now + 99), part.DeadAt(Now + 1200), part.DeadAt(Now + 8999), part.DeadAt(Now + 12_000)));
    }

    [Theory]
    [InlineData(long.MinValue, long.MaxValue)]
    [InlineData(long.MaxValue, long.MinValue)]
    [InlineData(-5, long.MaxValue)]
    public void Parts_of_any_bases_are_added_up(long first, long second)
    {
        var part = new ExpiryHistogram(0, 10, first);
        var next = new ExpiryHistogram(10, 30, second);
        next.AddStep(0, 1);
        next.AddStep(100, 2);
        next.AddStep(ExpiryHistogram.StepCount - 1, 4);
        part.Append(next);
        Assert.Equal((7, 7), (part.Bytes, part.DeadAt(long.MaxValue)));
    }
}
