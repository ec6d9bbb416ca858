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
    /// After how long a test is taken for hanging, and the run ended: by default so early that its name and all stacks
    /// are told within two minutes, where the longest test takes a third of that; or the seconds in FASTER_HANG_AFTER.
    /// Time that a busy machine keeps from the tests does not count: <see cref="LostTime"/>.
    /// </summary>
    public static readonly TimeSpan HangAfter = double.TryParse(
        Environment.GetEnvironmentVariable("FASTER_HANG_AFTER"), CultureInfo.InvariantCulture, out double seconds)
        && seconds > 0 ? TimeSpan.FromSeconds(seconds) : DefaultHangAfter(Factor);

    /// <summary>
    /// How long to wait for what has to happen: longer than a test lasts before it is taken for hanging, however busy
    /// the machine. So a wait in vain is told with the stacks of all threads, by <see cref="HangWatch"/>.
    /// </summary>
    public static readonly TimeSpan Patience = 11 * HangAfter; // of which nine tenths at most are the machine's

    /// <summary>How long a hang takes to be told, besides: the watch's look, the stacks, the runner's report.</summary>
    public static readonly TimeSpan HangReport = TimeSpan.FromSeconds(20);

    /// <summary>When a test hangs by default.</summary>
    /// <param name="factor">The multiplier of budgets.</param>
    public static TimeSpan DefaultHangAfter(double factor) => TimeSpan.FromSeconds(100) * Math.Max(factor, 1);

    /// <summary>A default count, times the budget; at least 1.</summary>
    public static int Times(int count) => (int)Math.Clamp(count * Factor, 1, int.MaxValue);
}
