namespace Faster.Workload.Experiments;

/// <summary>What read-modify-writes do to a hybrid log whose mutable region has some size.</summary>
internal sealed record RegionResult : StepResult
{
    /// <summary>The size of the mutable region, as a part of the records that were loaded.</summary>
    public required double MutableFactor { get; init; }

    /// <summary>How fast the log grew.</summary>
    public required double LogBytesPerSecond { get; init; }

    /// <summary>The part of the operations that met their record in the fuzzy region, in percent.</summary>
    public required double FuzzyPercent { get; init; }

    /// <summary>The part that waited for the disk, in percent.</summary>
    public required double DiskPercent { get; init; }
}
