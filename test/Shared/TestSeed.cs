using System.Globalization;
using Xunit.Sdk;

namespace Faster.Testing;

/// <summary>
/// The seeds of tests that draw: the same ones in each run, or others where FASTER_TEST_SEED is "fresh". With a number
/// it replays the seed that a failure has named. Thread-safe.
/// </summary>
internal static class TestSeed
{
    private const string Variable = "FASTER_TEST_SEED";
    private const int Fresh = 1_000_000; // seeds of one run lie below the next million

    /// <summary>The seed to replay; null when there is none.</summary>
    public static readonly int? Replayed =
        int.TryParse(Environment.GetEnvironmentVariable(Variable), CultureInfo.InvariantCulture, out int seed)
            ? seed
            : null;

    /// <summary>The first seed of this run, or the one to replay.</summary>
    public static readonly int First = Replayed
        ?? (Environment.GetEnvironmentVariable(Variable) == "fresh" ? Random.Shared.Next(1, 1_000) * Fresh : 1);

    /// <summary>Whether one seed is replayed.</summary>
    public static bool IsReplay => Replayed is not null;

    /// <summary>The seeds of a test: as many as asked, times the budget; or the one to replay.</summary>
    /// <param name="count">How many.</param>
    /// <param name="first">
    /// The first one in every run, for a test that also counts what happened, which is known for these seeds.
    /// </param>
    public static IEnumerable<int> Of(int count, int? first = null) =>
        IsReplay ? [First] : Enumerable.Range(first ?? First, TestBudget.Times(count));

    /// <summary>Runs a test for each of its seeds; a failure names its own.</summary>
    public static void Run(int count, Action<int> test)
    {
        foreach (int seed in Of(count))
        {
            try
            {
                test(seed);
            }
            catch (Exception failure)
            {
                throw Named(seed, failure);
            }
        }
    }

    /// <summary>As <see cref="Run"/>, of a test that awaits.</summary>
    public static async Task RunAsync(int count, Func<int, Task> test, int? first = null)
    {
        foreach (int seed in Of(count, first))
        {
            try
            {
                await test(seed).ConfigureAwait(false);
            }
            catch (Exception failure)
            {
                throw Named(seed, failure);
            }
        }
    }

    /// <summary>What a message says of the seed that it is about.</summary>
    public static string Text(int seed) => $"Seed {seed} (replay: {Variable}={seed})";

    /// <summary>The failure of a test with a seed.</summary>
    public static Exception Named(int seed, Exception failure) => new XunitException(
        $"{Text(seed)} failed. {failure.GetType().Name}: {failure.Message}", failure);
}
