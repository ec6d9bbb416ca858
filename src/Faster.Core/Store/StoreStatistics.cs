namespace Faster;

/// <summary>
/// What a store holds and has done, at one moment. Figures are read one after another, not as one snapshot.
/// </summary>
public sealed record StoreStatistics
{
    /// <summary>The lowest valid address of the log.</summary>
    public required long BeginAddress { get; init; }

    /// <summary>The lowest address in memory.</summary>
    public required long HeadAddress { get; init; }

    /// <summary>From here on records are updated in place.</summary>
    public required long ReadOnlyAddress { get; init; }

    /// <summary>The next free address.</summary>
    public required long TailAddress { get; init; }

    /// <summary>The bytes of records in memory.</summary>
    public required long LogBytesInMemory { get; init; }

    /// <summary>The bytes of records that are on disk only.</summary>
    public required long LogBytesOnDisk { get; init; }

    /// <summary>
    /// The bytes that the log takes on its device, checksums and what is to be given back included.
    /// </summary>
    public required long DiskBytes { get; init; }

    /// <summary>How often the log was compacted since the store was opened.</summary>
    public required long Compactions { get; init; }

    /// <summary>How many records compaction has copied to the tail.</summary>
    public required long RecordsCopied { get; init; }

    /// <summary>The bytes of the log that compaction and truncation have given up.</summary>
    public required long BytesReclaimed { get; init; }

    /// <summary>
    /// Whether the live data were found not to fit into <see cref="StoreOptions.DiskBudget"/>: the log grows beyond it.
    /// </summary>
    public required bool DiskBudgetExceeded { get; init; }

    /// <summary>The bytes of the hash index, overflow buckets and a table under construction included.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>The buckets of the hash index.</summary>
    public required long IndexBuckets { get; init; }

    /// <summary>The overflow buckets among them.</summary>
    public required long IndexOverflowBuckets { get; init; }

    /// <summary>How often the index has grown.</summary>
    public required int IndexGrowths { get; init; }

    /// <summary>How often it has shrunk.</summary>
    public required int IndexShrinks { get; init; }

    /// <summary>
    /// Whether the index would grow, but may not take more of the budget: chains of records lengthen instead.
    /// </summary>
    public required bool IndexAtLimit { get; init; }

    /// <summary>
    /// How many read-modify-writes have met their record in the fuzzy region, where it is neither updated in place any
    /// more nor copied yet, and have waited (paper 000 §6.2–6.3).
    /// </summary>
    public required long FuzzyUpdates { get; init; }

    /// <summary>How many records have been read from disk.</summary>
    public required long DiskReads { get; init; }

    /// <summary>The bytes read from disk.</summary>
    public required long BytesRead { get; init; }

    /// <summary>The bytes of memory that the read cache takes of the log's.</summary>
    public required long ReadCacheBytes { get; init; }

    /// <summary>How often a record that is on disk was found in the read cache.</summary>
    public required long ReadCacheHits { get; init; }

    /// <summary>How often it was not, and has been read from disk.</summary>
    public required long ReadCacheMisses { get; init; }

    /// <summary>
    /// How many partial (delta) records read-modify-writes have appended instead of reading from disk or waiting.
    /// </summary>
    public required long DeltasAppended { get; init; }

    /// <summary>How many of them read-modify-writes have merged into whole records.</summary>
    public required long DeltasCollapsed { get; init; }

    /// <summary>The bytes written to disk.</summary>
    public required long BytesWritten { get; init; }

    /// <summary>The open sessions.</summary>
    public required int Sessions { get; init; }

    /// <summary>
    /// Who has been inside its epoch for more than a second while others wait for it to leave, or null: a session whose
    /// user function blocks.
    /// </summary>
    public required string? StalledBy { get; init; }

    /// <summary>
    /// How many internal faults there were that concerned no operation, by the name of the exception's type; empty when
    /// there were none.
    /// </summary>
    public required IReadOnlyDictionary<string, long> FaultCounts { get; init; }

    /// <summary>
    /// The last of them, or null; <see cref="FasterStore{TProbe}.FaultOccurred"/> tells each one.
    /// </summary>
    public required Exception? LastFault { get; init; }
}
