using System.ComponentModel;

namespace Faster;

/// <summary>A snapshot of the counters and sizes of a transactional store.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record TransactionalStatistics : EngineStatistics
{
    /// <summary>The number of records.</summary>
    public required long Records { get; init; }

    /// <summary>The number of transactions that were committed; operations on single keys do not count.</summary>
    public required long Committed { get; init; }

    /// <summary>The number of transactions that their methods have aborted.</summary>
    public required long Aborted { get; init; }

    /// <summary>The number of attempts that have found a record locked by another one.</summary>
    public required long Conflicts { get; init; }

    /// <summary>The memory of the index; of both tables while it is resized.</summary>
    public required ByteSize IndexMemory { get; init; }

    /// <summary>The memory that records have taken so far, free space between them included.</summary>
    public required ByteSize RecordMemory { get; init; }

    /// <summary>How often the index was doubled.</summary>
    public required int IndexGrowths { get; init; }

    /// <summary>
    /// Whether the index would be doubled if <see cref="EngineOptions.MemoryBudget"/> allowed it: operations slow down.
    /// </summary>
    public required bool IndexAtLimit { get; init; }
}
