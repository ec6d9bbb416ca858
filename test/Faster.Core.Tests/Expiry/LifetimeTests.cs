using Faster.Expiry;

namespace Faster.Tests.Expiry;

/// <summary>How much longer than its time to live a written record may live.</summary>
public sealed class LifetimeTests
{
    /// <summary>
    /// Records that are written within a second are due for a new expiry within a quarter of the slack or more, not all
    /// at once; and each is due after half of it at the earliest, and before all of it has passed.
    /// </summary>
    [Theory]
    [InlineData(10_000)]
    [InlineData(3_600_000)]
    [InlineData(long.MaxValue >> 2)]
    public void Records_that_are_written_together_are_not_due_together(long life)
    {
        Lifetime lifetime = Lifetime.Of(life);
        long most = lifetime.Slack;

        long[] slack = [.. Enumerable.Range(0, 1000).Select(ms => lifetime.SlackAt(1_800_000_000_000 + ms))];

        Assert.All(slack, s => Assert.InRange(s, most - (most / 2), most));
        Assert.True(slack.Max() - slack.Min() > most / 4, $"from {slack.Min()} to {slack.Max()}");
    }

    [Fact]
    public void A_short_life_and_a_moment_are_exact()
    {
        Assert.Equal(0, Lifetime.Of(9999).SlackAt(1_800_000_000_001));
        Assert.Equal(0, Lifetime.Until(1_800_000_000_000).SlackAt(1_800_000_000_001));
        Assert.Equal(0, Lifetime.Of(0).SlackAt(1_800_000_000_001));
    }
}
