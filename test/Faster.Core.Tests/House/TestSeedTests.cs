namespace Faster.Tests.House;

/// <summary>The seeds of a run: drawn, repeated, or one of them replayed.</summary>
public sealed class TestSeedTests
{
    [Theory]
    [InlineData(null, 7_000_000, false)]
    [InlineData("", 7_000_000, false)]
    [InlineData("17", 17, true)]
    [InlineData("17+", 17, false)]
    public void One_is_drawn_or_repeated_or_replayed(string? value, int first, bool isReplay) =>
        Assert.Equal((first, isReplay), TestSeed.Choose(value, drawn: 7_000_000));

    [Theory]
    [InlineData("fresh")]
    [InlineData("-1")]
    [InlineData("+")]
    public void A_value_that_is_neither_is_refused(string value)
    {
        var failure = Assert.Throws<FormatException>(() => TestSeed.Choose(value, drawn: 1));
        Assert.Contains($"'{value}'", failure.Message, StringComparison.Ordinal);
    }
}
