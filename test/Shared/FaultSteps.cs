namespace Faster.Testing;

/// <summary>
/// Which calls of a run fail if there is no time to try each: drawn, so that over many runs each has its turn. From a
/// budget of 8 on, every call. Not thread-safe.
/// </summary>
internal sealed class FaultSteps
{
    private readonly Random _random = TestSeed.NewRandom();

    /// <summary>The number of the call that fails after the n-th.</summary>
    /// <param name="n">The number of the call that failed last.</param>
    /// <param name="step">The mean distance to the next one with a budget of 1.</param>
    public int After(int n, double step)
    {
        int most = TestBudget.Factor >= 8 ? 1 : (int)(step / TestBudget.Factor);
        return n + (most <= 1 ? 1 : _random.Next(1, 2 * most));
    }
}
