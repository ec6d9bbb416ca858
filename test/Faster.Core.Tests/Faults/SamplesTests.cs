namespace Faster.Tests.Faults;

/// <summary>Growth is told from noise.</summary>
public sealed class SamplesTests
{
    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(3, 0, 30)]
    [InlineData(-2, 0, -20)]
    [InlineData(3, 1_000, 30)]  // one sample far off
    [InlineData(0, -1_000, 0)]
    public void Growth_is_the_slope_of_most_samples(double each, double oneIsOff, double growth)
    {
        var samples = new Samples([.. Enumerable.Range(0, 11).Select(i => new Dictionary<string, double>
        {
            ["work"] = 100 + (7 * i), ["bytes"] = 500 + (each * i) + (i == 6 ? oneIsOff : 0),
        })]);
        Assert.Equal(growth, samples.GrowthOf("bytes"), tolerance: 1e-9);
        var noise = new Dictionary<string, double> { ["bytes"] = 20 };
        Assert.Equal(growth > 20 ? 1 : 0, samples.GrowingBeyond(noise).Count);
    }

    [Theory]
    [InlineData(0, 1_000, 0)] // a step, which is no leak
    [InlineData(5, 0, 1)]
    [InlineData(5, 1_000, 1)]
    public void Growth_in_one_step_is_no_leak(double each, double step, int growing)
    {
        for (int at = 1; at < 11; at++)
        {
            var samples = new Samples([.. Enumerable.Range(0, 11).Select(i => new Dictionary<string, double>
            {
                ["work"] = i, ["resident"] = (each * i) + (i >= at ? step : 0),
            })]);
            Assert.Equal(growing, samples.GrowingBeyond(new Dictionary<string, double> { ["resident"] = 20 }).Count);
        }
    }

    [Fact]
    public void Samples_are_read_from_lines_of_their_kind()
    {
        Samples samples = Samples.Parse(
            "sample work=1 bytes=4\nleaking work=2 bytes=99\nsample work=3 bytes=8\nwork=5\n");
        Assert.Equal((2, 4), (samples.Count, samples.GrowthOf("bytes")));
    }
}
