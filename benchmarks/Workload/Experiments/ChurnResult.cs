namespace Faster.Workload.Experiments;

/// <summary>
/// What a store takes on disk and in memory while its records are replaced again and again under a disk budget.
/// <see cref="StepResult.OperationsPerSecond"/> is the mean throughput.
/// </summary>
internal sealed record ChurnResult : StepResult
{
    /// <summary>The size of each value.</summary>
    public required int ValueBytes { get; init; }

    /// <summary>The memory of the store.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>What the log may take on disk.</summary>
    public required long DiskBudgetBytes { get; init; }

    /// <summary>What the live records take in the log.</summary>
    public required long LiveBytes { get; init; }

    /// <summary>The most bytes of files that were seen, divided by the live ones.</summary>
    public required double SpaceAmplification { get; init; }

    /// <summary>
    /// The bytes written, divided by the keys and values of the updates; null where the system does not tell.
    /// </summary>
    public double? WriteAmplification { get; init; }

    /// <summary>How many records compaction has copied, for each update.</summary>
    public required double CopiedPerUpdate { get; init; }

    /// <summary>The ends of the bins, in seconds.</summary>
    public required IReadOnlyList<double> Seconds { get; init; }

    /// <summary>The throughput in each bin.</summary>
    public required IReadOnlyList<double> BinPerSecond { get; init; }

    /// <summary>The bytes of the folder's files at the end of each bin.</summary>
    public required IReadOnlyList<long> DiskBytes { get; init; }

    /// <summary>
    /// The resident memory of the process at the end of each bin; empty where the system does not tell.
    /// </summary>
    public required IReadOnlyList<long> ResidentBytes { get; init; }
}
