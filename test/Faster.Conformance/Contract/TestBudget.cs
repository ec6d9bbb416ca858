using System.Globalization;

namespace Faster.Conformance.Contract;

/// <summary>How long the tests may run: <c>FASTER_TEST_BUDGET</c>, a multiplier, by default 1.</summary>
public static class TestBudget
{
    /// <summary>The multiplier.</summary>
    public static double Multiplier { get; } = double.TryParse(
        Environment.GetEnvironmentVariable("FASTER_TEST_BUDGET"), CultureInfo.InvariantCulture, out double value)
            && value > 0 ? value : 1;

    /// <summary>
    /// After how long a test that does not end is called stuck. A guard against hanging, not a measure.
    /// </summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromSeconds(60 + (30 * Multiplier));

    /// <summary>A number of repetitions, scaled; at least 1.</summary>
    public static int Times(int count) => (int)Math.Clamp(count * Multiplier, 1, int.MaxValue);
}
