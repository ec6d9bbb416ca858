using System.ComponentModel;

namespace Faster;

/// <summary>
/// Counters and sizes of a store. They are read one after another, not as one consistent snapshot. Counters start when
/// the store is opened.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record StoreStatistics : EngineStatistics
{
    /// <summary>The lowest valid address of the log. Everything below it has been truncated.</summary>
    public required long BeginAddress { get; init; }

    /// <summary>The lowest address in memory. Records below it are on disk only.</summary>
    public required long HeadAddress { get; init; }

    /// <summary>The lowest address of the mutable region, in which records are updated in place.</summary>
    public required long ReadOnlyAddress { get; init; }

    /// <summary>The address of the next record to be appended.</summary>
    public required long TailAddress { get; init; }

    /// <summary>The number of bytes of records in memory.</summary>
    public required long LogBytesInMemory { get; init; }

    /// <summary>The number of bytes of records that are on disk only.</summary>
    public required long LogBytesOnDisk { get; init; }

    /// <summary>The number of compactions of the log since the store was opened.</summary>
    public required long Compactions { get; init; }

    /// <summary>The number of records that compaction has copied to the tail.</summary>
    public required long RecordsCopied { get; init; }

    /// <summary>The number of bytes of the log that compaction and truncation have discarded.</summary>
    public required long BytesReclaimed { get; init; }

    /// <summary>
    /// Whether the log takes more than <see cref="LogStoreOptions.DiskBudget"/>: because the live data do not fit,
    /// because compaction fails (<see cref="EngineStatistics.LastFault"/>), or because a scan or the reader of a large
    /// value holds the space.
    /// </summary>
    public required bool DiskBudgetExceeded { get; init; }

    /// <summary>
    /// The number of bytes of the hash index, including overflow buckets and a table under construction.
    /// </summary>
    public required long IndexBytes { get; init; }

    /// <summary>The number of buckets of the hash index.</summary>
    public required long IndexBuckets { get; init; }

    /// <summary>The number of overflow buckets of the hash index.</summary>
    public required long IndexOverflowBuckets { get; init; }

    /// <summary>The number of times the index has doubled.</summary>
    public required int IndexGrowths { get; init; }

    /// <summary>The number of times the index has halved.</summary>
    public required int IndexShrinks { get; init; }

    /// <summary>
    /// Whether the index needs to grow but has reached its limit within the budget: hash chains grow longer instead.
    /// </summary>
    public required bool IndexAtLimit { get; init; }

    /// <summary>
    /// The number of read-modify-writes that found their record in the fuzzy region, where it can neither be updated in
    /// place nor be copied yet, and had to wait (paper 000 §6.2–6.3).
    /// </summary>
    public required long FuzzyUpdates { get; init; }

    /// <summary>The number of records read from disk.</summary>
    public required long DiskReads { get; init; }

    /// <summary>The number of bytes read from disk.</summary>
    public required long BytesRead { get; init; }

    /// <summary>The number of bytes of the log's memory that the read cache uses.</summary>
    public required long ReadCacheBytes { get; init; }

    /// <summary>The number of times a record that is on disk was found in the read cache.</summary>
    public required long ReadCacheHits { get; init; }

    /// <summary>The number of times such a record was not found in the read cache and was read from disk.</summary>
    public required long ReadCacheMisses { get; init; }

    /// <summary>
    /// The number of deltas that read-modify-writes have appended instead of reading from disk or waiting.
    /// </summary>
    public required long DeltasAppended { get; init; }

    /// <summary>The number of deltas that read-modify-writes have merged into whole records.</summary>
    public required long DeltasCollapsed { get; init; }

    /// <summary>The number of bytes written to disk.</summary>
    public required long BytesWritten { get; init; }

    /// <summary>
    /// The number of internal faults that affected no operation, by the name of the exception's type; empty if there
    /// were none.
    /// </summary>
    public required IReadOnlyDictionary<string, long> FaultCounts { get; init; }
}
