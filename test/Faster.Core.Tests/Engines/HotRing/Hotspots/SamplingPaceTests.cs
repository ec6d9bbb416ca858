using Faster.Engines.HotRing.Hotspots;

namespace Faster.Tests.Engines.HotRing.Hotspots;

public sealed class SamplingPaceTests
{
    private const int Interval = 5;

    private readonly Random _random = new(3);

    [Fact]
    public void A_steady_session_waits_longer_and_longer()
    {
        SamplingPace pace = Steady(3);
        Assert.Equal(Interval * SamplingPace.MaxFactor, pace.Interval);
    }

    [Fact]
    public void More_accesses_are_noticed_within_a_few_hundred_operations()
    {
        SamplingPace pace = Steady(3);
        Add(pace, 5, 512);
        Assert.Equal(Interval, pace.Interval);
        Add(pace, 5, 100_000);
        Assert.Equal(Interval * SamplingPace.MaxFactor, pace.Interval);
    }

    [Fact]
    public void A_session_whose_accesses_still_fall_keeps_its_pace()
    {
        var pace = new SamplingPace(Interval);
        for (double mean = 9; mean > 3; mean *= 0.9)
        {
            Add(pace, mean, 4096);
            Assert.Equal(Interval, pace.Interval);
        }
    }

    private SamplingPace Steady(double mean)
    {
        var pace = new SamplingPace(Interval);
        Add(pace, mean, 100_000);
        return pace;
    }

    // From 2 on, with the spread that positions in a ring have.
    private void Add(SamplingPace pace, double mean, int operations)
    {
        for (int i = 0; i < operations; i++)
            pace.Add(1, 2 + (int)Math.Round(2 * (mean - 2) * _random.NextDouble()));
    }
}
