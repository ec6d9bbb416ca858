using System.Globalization;

namespace Faster.Crash.Crashes;

/// <summary>How much longer than by default tests run: FASTER_TEST_BUDGET, a multiplier.</summary>
internal static class Budget
{
    /// <summary>The multiplier, 1 by default.</summary>
    public static readonly double Factor = double.TryParse(
        Environment.GetEnvironmentVariable("FASTER_TEST_BUDGET"), CultureInfo.InvariantCulture, out double factor)
        && factor > 0 ? factor : 1;

    /// <summary>A default count, times the budget; at least 1.</summary>
    public static int Times(int count) => (int)Math.Clamp(count * Factor, 1, int.MaxValue);
}
