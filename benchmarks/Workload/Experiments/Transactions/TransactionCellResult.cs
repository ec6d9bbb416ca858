using Faster.Workload.Cells;
using Faster.Workload.Experiments;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>Transactions of one kind; <see cref="StepResult.OperationsPerSecond"/> counts those committed.</summary>
internal sealed record TransactionCellResult : StepResult
{
    /// <summary>How many keys each transaction has.</summary>
    public required int Size { get; init; }

    /// <summary>How many of the keys are updated, in percent.</summary>
    public required int UpdatePercent { get; init; }

    /// <summary>The skew of the keys.</summary>
    public required double Theta { get; init; }

    /// <summary>From the begin of a transaction until it was committed; of one in 64.</summary>
    public LatencyResult? Latency { get; init; }

    /// <summary>
    /// Attempts that have met others' locks, for each 1,000 transactions; null where the engine does not tell.
    /// </summary>
    public double? ConflictsPerThousand { get; init; }

    /// <summary>The memory of each record with its share of the index; null where the engine does not tell.</summary>
    public double? BytesPerRecord { get; init; }

    /// <summary>
    /// The median over all rounds of the throughput ÷ that of the loop without locks; null without one.
    /// </summary>
    public double? Ratio { get; init; }

    /// <summary>The lower end of the median's interval of confidence, of 95 %.</summary>
    public double? RatioLow { get; init; }

    /// <summary>Its upper end.</summary>
    public double? RatioHigh { get; init; }

    /// <summary>How many rounds were measured.</summary>
    public required int Rounds { get; init; }
}
