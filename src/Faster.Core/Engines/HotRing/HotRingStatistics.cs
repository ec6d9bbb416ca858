using System.ComponentModel;

namespace Faster;

/// <summary>A snapshot of the counters and sizes of a HotRing store.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record HotRingStatistics : EngineStatistics
{
    /// <summary>The number of records.</summary>
    public required long Records { get; init; }

    /// <summary>The number of rings.</summary>
    public required long Buckets { get; init; }

    /// <summary>The memory of the rings' heads, 8 bytes each.</summary>
    public required ByteSize IndexMemory { get; init; }

    /// <summary>The memory that records have taken so far, free space between them included.</summary>
    public required ByteSize RecordMemory { get; init; }

    /// <summary>
    /// What records may still take: <see cref="EngineOptions.MemoryBudget"/> without the index and
    /// <see cref="RecordMemory"/>, and while the index is doubled without what that needs. Free space between records
    /// comes on top.
    /// </summary>
    public required ByteSize FreeMemory { get; init; }

    /// <summary>
    /// The average number of memory accesses of the sampled operations: the head, and each record that was visited;
    /// 0 if none was sampled.
    /// </summary>
    public required double AccessesPerOperation { get; init; }

    /// <summary>The number of operations that <see cref="AccessesPerOperation"/> is the average of.</summary>
    public required long SampledOperations { get; init; }

    /// <summary>How often sessions have moved a head to a hot record.</summary>
    public required long HeadMoves { get; init; }

    /// <summary>How many rounds of sampling sessions have begun.</summary>
    public required long SamplingRounds { get; init; }

    /// <summary>How often the index was doubled.</summary>
    public required long Rehashes { get; init; }

    /// <summary>Whether the index is being doubled.</summary>
    public required bool IsRehashing { get; init; }

    /// <summary>
    /// Whether the index would be doubled if <see cref="EngineOptions.MemoryBudget"/> allowed it: rings lengthen, and
    /// operations slow down.
    /// </summary>
    public required bool IndexAtLimit { get; init; }
}
