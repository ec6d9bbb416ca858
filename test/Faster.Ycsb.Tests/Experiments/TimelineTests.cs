using Faster.Workload.Experiments;

namespace Faster.Ycsb.Tests.Experiments;

public class TimelineTests
{
    // 1,000 operations a second, but none from 0.52 to 0.56 s.
    private static readonly Timeline WithStop = new(
        [At(0, 0), At(0.25, 250), At(0.52, 520), At(0.56, 520), At(0.75, 710), At(1, 960)]);

    [Fact]
    public void A_rate_is_taken_between_samples_too()
    {
        Assert.Equal(1000, WithStop.Rate(0.1, 0.4), 1e-6);
        Assert.Equal(960, WithStop.Rate(0, 1), 1e-6);
        Assert.Equal(500, WithStop.Rate(0.5, 0.54), 1e-6);
    }

    [Fact]
    public void The_worst_window_is_found_wherever_it_lies()
    {
        // A window of 50 ms can hold the whole stop of 40 ms.
        Assert.Equal(200, WithStop.Worst(0, 1, 0.05), 1e-6);
        Assert.Equal(0, WithStop.Worst(0, 1, 0.03), 1e-6);
        Assert.Equal(1000, WithStop.Worst(0.6, 0.9, 0.05), 1e-6);
    }

    [Fact]
    public void A_span_shorter_than_the_window_is_lengthened() =>
        Assert.Equal(200, WithStop.Worst(0.52, 0.53, 0.05), 1e-6);

    [Fact]
    public void A_bin_ends_at_its_first_sample_and_a_gap_joins_bins()
    {
        Assert.Equal([0, 0.25, 0.52, 0.75, 1], WithStop.EachBin(0.1).Select(sample => sample.Seconds));
        Assert.Equal([0, 0.52, 1], WithStop.EachBin(0.5).Select(sample => sample.Seconds));
        Assert.Equal([0, 0.75, 1], WithStop.EachBin(0.7).Select(sample => sample.Seconds));
        Assert.Equal([0.02, 0.03], new Timeline([At(0.02, 0), At(0.03, 1)]).EachBin(0.01).Select(s => s.Seconds));
    }

    [Fact]
    public void Gaps_between_samples_are_told()
    {
        Assert.Equal(0.27, WithStop.LongestGap(0, 1), 1e-6);
        Assert.Equal(0.25, WithStop.LongestGap(0.8, 1), 1e-6);
    }

    private static Sample At(double seconds, long operations) => new(seconds, operations, 0);
}
