using System.Globalization;

namespace Faster.Testing;

/// <summary>How much longer than by default tests run: the multiplier FASTER_TEST_BUDGET. Thread-safe.</summary>
internal static class TestBudget
{
    /// <summary>The multiplier, 1 by default; it may be a fraction.</summary>
    public static readonly double Factor = double.TryParse(
        Environment.GetEnvironmentVariable("FASTER_TEST_BUDGET"), CultureInfo.InvariantCulture, out double factor)
        && factor > 0 ? factor : 1;

    /// <summary>
    /// After how long a test counts as hanging and the run is ended. The default reports its name and all stacks within
    /// two minutes (the longest test takes a third of that); FASTER_HANG_AFTER sets other seconds. Time that a busy
    /// machine withholds from the tests does not count: <see cref="LostTime"/>.
    /// </summary>
    public static readonly TimeSpan HangAfter = double.TryParse(
        Environment.GetEnvironmentVariable("FASTER_HANG_AFTER"), CultureInfo.InvariantCulture, out double seconds)
        && seconds > 0 ? TimeSpan.FromSeconds(seconds) : DefaultHangAfter(Factor);

    /// <summary>
    /// How long to wait for what must happen: longer than a test may last before it counts as hanging, however busy the
    /// machine. A wait in vain is thus reported by <see cref="HangWatch"/>, with the stacks of all threads.
    /// </summary>
    public static readonly TimeSpan StallTimeout = 11 * HangAfter; // of which at most nine tenths are lost time

    /// <summary>
    /// How much longer the report of a hang takes: the watch's poll, the stacks, the runner's report.
    /// </summary>
    public static readonly TimeSpan HangReport = TimeSpan.FromSeconds(20);

    /// <summary>After how long a test counts as hanging by default.</summary>
    /// <param name="factor">The multiplier of budgets.</param>
    public static TimeSpan DefaultHangAfter(double factor) => TimeSpan.FromSeconds(100) * Math.Max(factor, 1);

    /// <summary>A default count, times the budget; at least 1.</summary>
    public static int Times(int count) => (int)Math.Clamp(count * Factor, 1, int.MaxValue);
}
