using System.Globalization;
using Xunit.Sdk;

namespace Faster.Testing;

/// <summary>
/// The seeds of tests that draw, different in each run. FASTER_TEST_SEED may be a number, to replay the one seed that a
/// failure has named, or a number and "+", to repeat all seeds of a run: each failure prints this value. Thread-safe.
/// </summary>
internal static class TestSeed
{
    private const string Variable = "FASTER_TEST_SEED";
    private const int OfARun = 1_000_000; // the seeds of one run are below the next million

    private static readonly (int First, bool IsReplay) Chosen =
        Choose(Environment.GetEnvironmentVariable(Variable), Random.Shared.Next(1, 1_000) * OfARun);

    /// <summary>The first seed of this run, or the one to replay.</summary>
    public static int First => Chosen.First;

    /// <summary>Whether one seed is replayed.</summary>
    public static bool IsReplay => Chosen.IsReplay;

    /// <summary>How to run all tests again with the seeds of this run.</summary>
    public static string Again => $"{Variable}={First}{(IsReplay ? "" : "+")}";

    /// <summary>Parses the variable.</summary>
    /// <param name="value">Its value; null: it is not set.</param>
    /// <param name="drawn">The first seed if the variable is not set.</param>
    /// <exception cref="FormatException">The value has another form.</exception>
    public static (int First, bool IsReplay) Choose(string? value, int drawn)
    {
        if (string.IsNullOrEmpty(value)) return (drawn, false);
        bool isReplay = value[^1] != '+';
        string digits = isReplay ? value : value[..^1];
        return int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int seed)
            ? (seed, isReplay)
            : throw new FormatException(
                $"{Variable} is '{value}'. Give it one seed, as in 17, or the first one of a run, as in 17+.");
    }

    /// <summary>The seeds of a test: a count times the budget, or the one seed to replay.</summary>
    /// <param name="count">How many with a budget of 1.</param>
    /// <param name="first">
    /// The first seed in every run, for a test that asserts counts which are known for these seeds; null: the run's
    /// own.
    /// </param>
    public static IEnumerable<int> Of(int count, int? first = null) =>
        IsReplay ? [First] : Enumerable.Range(first ?? First, TestBudget.Times(count));

    /// <summary>The random numbers of a test that runs once.</summary>
    /// <param name="which">A number that distinguishes it from other instances, so that they draw differently.</param>
    public static Random NewRandom(int which = 0) => new(First + which);

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

    /// <summary>As <see cref="Run"/>, for an asynchronous test.</summary>
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

    /// <summary>A seed as messages print it.</summary>
    public static string Text(int seed) => $"Seed {seed} (replay: {Variable}={seed})";

    /// <summary>The failure of a test with a seed.</summary>
    public static Exception Named(int seed, Exception failure) => new XunitException(
        $"{Text(seed)} failed. {failure.GetType().Name}: {failure.Message}", failure);
}
