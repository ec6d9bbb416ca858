namespace Faster.Workload.Experiments;

/// <summary>The memory accesses of reads of a store on the engine HotRing, whose index has a fixed size.</summary>
internal sealed record HeatResult : StepResult
{
    /// <summary>The skew of the keys.</summary>
    public required double Theta { get; init; }

    /// <summary>The average number of keys of a ring.</summary>
    public required int KeysPerBucket { get; init; }

    /// <summary>The average number of memory accesses, counted: the head, and each record that was visited.</summary>
    public required double Accesses { get; init; }

    /// <summary>The fewest that the best position of every head gives, for keys that are scattered alike.</summary>
    public required double Optimum { get; init; }

    /// <summary>The average of a chain as long as a ring is on average, whose keys are all read alike.</summary>
    public required double Chain { get; init; }
}
