using System.Globalization;

namespace Faster.Testing;

/// <summary>How much longer than by default tests may run: FASTER_TEST_BUDGET, a multiplier. Thread-safe.</summary>
internal static class TestBudget
{
    /// <summary>The multiplier, 1 by default; it may be a fraction.</summary>
    public static readonly double Factor = double.TryParse(
        Environment.GetEnvironmentVariable("FASTER_TEST_BUDGET"), CultureInfo.InvariantCulture, out double factor)
        && factor > 0 ? factor : 1;

    /// <summary>
    /// After how long a test that does not end is called stuck, however busy the machine: a guard, not a measure.
    /// </summary>
    public static readonly TimeSpan Patience = TimeSpan.FromMinutes(1 + Factor);

    /// <summary>
    /// After how long a test is taken for hanging, and the run ended: longer than a test's own guards, or the seconds
    /// in FASTER_HANG_AFTER.
    /// </summary>
    public static readonly TimeSpan HangAfter = double.TryParse(
        Environment.GetEnvironmentVariable("FASTER_HANG_AFTER"), CultureInfo.InvariantCulture, out double seconds)
        && seconds > 0 ? TimeSpan.FromSeconds(seconds) : 3 * Patience;

    /// <summary>A default count, times the budget; at least 1.</summary>
    public static int Times(int count) => (int)Math.Clamp(count * Factor, 1, int.MaxValue);
}
