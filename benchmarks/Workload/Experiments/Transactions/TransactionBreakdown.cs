namespace Faster.Workload.Experiments.Transactions;

/// <summary>
/// Where the time of a transaction goes, in seconds of a thread (paper 004, Fig. 7e). Medians over the rounds; parts
/// that an engine lacks are 0. What is not measured alone is a difference, and may come out a little below 0.
/// </summary>
/// <param name="Execution">All the rest: finding, locking, user code, installing.</param>
/// <param name="Tail">To append to the tail that all transactions share.</param>
/// <param name="Log">To write a redo log, its tail included.</param>
/// <param name="Abort">Attempts that were refused, and the pauses after them.</param>
internal sealed record TransactionBreakdown(double Execution, double Tail, double Log, double Abort)
{
    /// <summary>How the rounds' throughput stands for engines in turn, by its place.</summary>
    public const int Own = 0, Bare = 1, Plain = 2, WithTail = 3;

    /// <summary>The whole time of a transaction.</summary>
    public double Total => Execution + Tail + Log + Abort;

    /// <summary>Divides the time of transactions.</summary>
    /// <param name="rounds">The throughput of each engine in each round, by the places above.</param>
    /// <param name="threads">How many threads ran them.</param>
    /// <param name="abort">What <see cref="ConflictCosts"/> say.</param>
    public static TransactionBreakdown Of(IReadOnlyList<double[]> rounds, int threads, double abort)
    {
        double Median(Func<double[], double> seconds) => MedianInterval.Of(rounds.Select(seconds)).Median;
        int engines = rounds[0].Length;
        double total = threads * Median(round => 1 / round[Own]), tail = 0, log = 0;
        if (engines > WithTail)
            tail = threads * Median(round => (1 / round[WithTail]) - (1 / round[Plain]));
        else if (engines > Plain)
            log = (threads * Median(round => (1 / round[Own]) - (1 / round[Plain]))) - abort;
        return new TransactionBreakdown(total - tail - log - abort, tail, log, abort);
    }
}
