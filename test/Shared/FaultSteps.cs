namespace Faster.Testing;

/// <summary>
/// Which calls of a run fail, where there is no time to try each: drawn, so that in many runs each has its turn. Every
/// one from a budget of 8. Not thread-safe.
/// </summary>
internal sealed class FaultSteps
{
    private readonly Random _random = TestSeed.NewRandom();

    /// <summary>The number of the next call to fail, after the n-th.</summary>
    /// <param name="n">Which one failed last.</param>
    /// <param name="step">How many further, in the mean, with a budget of 1.</param>
    public int After(int n, double step)
    {
        int most = TestBudget.Factor >= 8 ? 1 : (int)(step / TestBudget.Factor);
        return n + (most <= 1 ? 1 : _random.Next(1, 2 * most));
    }
}
