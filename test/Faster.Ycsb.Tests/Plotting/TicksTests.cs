using Faster.Ycsb.Plotting;

namespace Faster.Ycsb.Tests.Plotting;

public class TicksTests
{
    [Theory]
    [InlineData(9.3, 5, "0 2 4 6 8 10")]
    [InlineData(10, 5, "0 2 4 6 8 10")]
    [InlineData(0.31, 5, "0.0 0.1 0.2 0.3 0.4")]
    [InlineData(0.0047, 5, "0.000 0.001 0.002 0.003 0.004 0.005")]
    [InlineData(12, 8, "0 2 4 6 8 10 12")]
    [InlineData(1234, 5, "0 500 1,000 1,500")]
    [InlineData(0, 5, "0.0 0.2 0.4 0.6 0.8 1.0")]
    [InlineData(double.NaN, 5, "0.0 0.2 0.4 0.6 0.8 1.0")]
    public void Marks_are_round_and_reach_the_highest_value(double highest, int most, string expected)
    {
        var ticks = new Ticks(highest, most);
        Assert.Equal(expected, string.Join(' ', ticks.Values.Select(ticks.Label)));
        Assert.False(ticks.End < highest);
    }
}
