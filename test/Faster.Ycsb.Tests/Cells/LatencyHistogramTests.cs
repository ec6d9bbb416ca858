using Faster.Workload;

namespace Faster.Ycsb.Tests.Cells;

public class LatencyHistogramTests
{
    [Fact]
    public void Percentiles_are_right_but_for_a_part_of_the_precision()
    {
        var random = new SplitMix64(1);
        long[] times = [.. Enumerable.Range(0, 20_000).Select(_ => (long)Math.Exp(random.NextUnit() * 30))];
        var histogram = new LatencyHistogram();
        foreach (long time in times)
            histogram.Record(time);
        Array.Sort(times);
        foreach (double part in new[] { 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1 })
        {
            long exact = times[(int)Math.Ceiling(part * times.Length) - 1];
            Assert.InRange(histogram.Percentile(part), exact, exact + (exact / (double)LatencyHistogram.Precision));
        }

        Assert.Equal(times[^1], histogram.Longest);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(129)]
    [InlineData(1L << 40)]
    [InlineData(long.MaxValue)]
    public void Any_time_has_a_bucket(long time)
    {
        var histogram = new LatencyHistogram();
        histogram.Record(time);
        Assert.Equal((1, time, time), (histogram.Count, histogram.Longest, histogram.Percentile(0.5)));
    }

    [Fact]
    public void Histograms_add_up()
    {
        LatencyHistogram a = new(), b = new();
        a.Record(10);
        b.Record(20);
        b.Record(30);
        a.Add(b);
        Assert.Equal((3, 30, 20), (a.Count, a.Longest, a.Percentile(0.5)));
    }
}
