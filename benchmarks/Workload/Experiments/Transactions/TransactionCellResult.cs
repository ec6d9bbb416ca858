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

    /// <summary>
    /// The throughput ÷ that of the same engine whose commits are CPR's, in the same turns; null if it is that itself,
    /// or none of ours.
    /// </summary>
    public MedianInterval? CprRatio { get; init; }

    /// <summary>How many rounds were measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>Where the time of a transaction goes; null where that was not asked for.</summary>
    public TransactionBreakdown? Breakdown { get; init; }

    /// <summary>
    /// How clients waited until transactions were durable, a <see cref="Writes.WriteShape"/> as it is written; null
    /// where that was not asked for.
    /// </summary>
    public string? Form { get; init; }

    /// <summary>The form in whose row it stands: another one of as many where the engine lacks that one.</summary>
    public string? Asked { get; init; }

    /// <summary>How many transactions were under way at once, where they were durable.</summary>
    public int? Outstanding { get; init; }
}
