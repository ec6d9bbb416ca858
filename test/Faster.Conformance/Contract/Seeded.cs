using System.Globalization;
using Xunit.Sdk;

namespace Faster.Conformance.Contract;

/// <summary>
/// Runs a test by seeds, and names the seed that failed. <c>FASTER_TEST_SEED</c> replays one; otherwise the seeds are
/// 1, 2, … so that every run is the same but for the threads' interleaving.
/// </summary>
public static class Seeded
{
    private const string Variable = "FASTER_TEST_SEED";

    private static readonly int? Replayed =
        int.TryParse(Environment.GetEnvironmentVariable(Variable), CultureInfo.InvariantCulture, out int seed)
            ? seed
            : null;

    /// <summary>Whether one seed is replayed.</summary>
    public static bool IsReplay => Replayed is not null;

    /// <summary>Runs a test for as many seeds as asked, scaled by the budget.</summary>
    public static async Task RunAsync(int seeds, Func<int, Task> test)
    {
        int first = Replayed ?? 1;
        int last = Replayed ?? TestBudget.Times(seeds);
        for (int seed = first; seed <= last; seed++)
        {
            try
            {
                await test(seed);
            }
            catch (Exception failure)
            {
                throw new XunitException(
                    $"Seed {seed} failed (replay: {Variable}={seed}). {failure.GetType().Name}: {failure.Message}",
                    failure);
            }
        }
    }
}
