namespace Faster.Conformance.Contract;

/// <summary>Runs a test by seeds, and names the seed that failed: <see cref="TestSeed"/>, made public.</summary>
public static class Seeded
{
    /// <summary>Whether one seed is replayed.</summary>
    public static bool IsReplay => TestSeed.IsReplay;

    /// <summary>Runs a test for a number of seeds, times the budget.</summary>
    /// <param name="seeds">The number of seeds with a budget of 1.</param>
    /// <param name="test">The test.</param>
    /// <param name="first">The first seed in every run; null: each run has its own.</param>
    public static Task RunAsync(int seeds, Func<int, Task> test, int? first = null) =>
        TestSeed.RunAsync(seeds, test, first);
}
