using System.ComponentModel;

namespace Faster;

/// <summary>
/// Counters and sizes of a store of the engine F2. They are read one after another, not as one consistent snapshot.
/// Counters start when the store is opened.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record TieredStatistics : EngineStatistics
{
    private const double MostFill = 0.9;

    /// <summary>The bytes of the hot log's addresses, on its device and in memory.</summary>
    public required long HotLogBytes { get; init; }

    /// <summary>The bytes of the hot log that are in memory.</summary>
    public required long HotBytesInMemory { get; init; }

    /// <summary>The bytes of the cold log's addresses, on its device and in memory.</summary>
    public required long ColdLogBytes { get; init; }

    /// <summary>The bytes of the log of the cold index, on its device and in memory.</summary>
    public required long ColdIndexLogBytes { get; init; }

    /// <summary>The bytes of the hot index, including a table under construction.</summary>
    public required long HotIndexBytes { get; init; }

    /// <summary>The number of times the hot index has doubled.</summary>
    public required int HotIndexGrowths { get; init; }

    /// <summary>The number of times the hot index has halved.</summary>
    public required int HotIndexShrinks { get; init; }

    /// <summary>The number of chunks of the cold index; each takes 8 bytes of memory.</summary>
    public required long ColdChunks { get; init; }

    /// <summary>
    /// The part of the slots in use in the chunks of the cold index that were written last, on average; 0 if none was
    /// since the opening. 0.75 where as many keys are cold as <see cref="TieredOptions.ExpectedColdKeys"/> said.
    /// </summary>
    public required double ColdIndexFill { get; init; }

    /// <summary>
    /// Whether <see cref="ColdIndexFill"/> is 0.9 or more: most chunks are full, so that keys share entries, and a read
    /// of a cold record reads others before it. The cold index does not grow: export the store, and import it into one
    /// with a larger <see cref="TieredOptions.ExpectedColdKeys"/>.
    /// </summary>
    public bool ColdIndexOverfull => ColdIndexFill >= MostFill;

    /// <summary>The number of hot-cold compactions: those that move records to the cold log.</summary>
    public required long HotCompactions { get; init; }

    /// <summary>The number of records that were moved to the cold log.</summary>
    public required long RecordsMoved { get; init; }

    /// <summary>The number of cold-cold compactions.</summary>
    public required long ColdCompactions { get; init; }

    /// <summary>The number of records that cold-cold compactions have copied.</summary>
    public required long RecordsCopied { get; init; }

    /// <summary>The number of compactions of the log of the cold index.</summary>
    public required long ColdIndexCompactions { get; init; }

    /// <summary>The number of deltas that updates have appended. Zero in a store without a [Merger].</summary>
    public required long DeltasAppended { get; init; }

    /// <summary>The number of deltas that have been merged into whole records.</summary>
    public required long DeltasCollapsed { get; init; }

    /// <summary>
    /// Whether a log grows beyond its part of <see cref="LogStoreOptions.DiskBudget"/>: because the live data do not
    /// fit, because compaction fails (<see cref="EngineStatistics.LastFault"/>), or because a scan or the reader of a
    /// large value holds the space.
    /// </summary>
    public required bool DiskBudgetExceeded { get; init; }

    /// <summary>The number of reads of both logs from their devices.</summary>
    public required long DiskReads { get; init; }

    /// <summary>The number of reads of chunks of the cold index from its device.</summary>
    public required long ColdIndexReads { get; init; }

    /// <summary>The bytes of both logs and the log of the cold index that were read from their devices.</summary>
    public required long BytesRead { get; init; }

    /// <summary>The bytes of both logs and the log of the cold index that were written to their devices.</summary>
    public required long BytesWritten { get; init; }

    /// <summary>The number of times that a copy in the read cache was found.</summary>
    public required long ReadCacheHits { get; init; }

    /// <summary>The bytes of records in the read cache.</summary>
    public required long ReadCacheBytes { get; init; }
}
