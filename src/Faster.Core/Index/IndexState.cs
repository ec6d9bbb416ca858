using System.Diagnostics;

namespace Faster.Index;

/// <summary>
/// Everything that an operation must know about the index, as of one moment (the paper's ResizeStatus).
/// </summary>
/// <remarks>
/// Immutable, and published as one reference, so that one read gives a phase and the tables that go with it. The
/// table's fields are copied here to spare the hit path a dependent load. Thread-safe.
/// </remarks>
internal sealed unsafe class IndexState
{
    /// <summary>The stable phase of a table.</summary>
    public IndexState(IndexTable table)
        : this(IndexPhase.Stable, table, null)
    {
    }

    /// <summary>A phase of a resize.</summary>
    public IndexState(IndexPhase phase, Resize resize)
        : this(phase, resize.Old, resize)
    {
    }

    private IndexState(IndexPhase phase, IndexTable table, Resize? resize)
    {
        Phase = phase;
        Table = table;
        Buckets = table.Buckets;
        BucketCount = table.BucketCount;
        Resize = resize;
    }

    /// <summary>The phase.</summary>
    public readonly IndexPhase Phase;

    /// <summary>The table's number of buckets.</summary>
    public readonly long BucketCount;

    /// <summary>The table's first bucket.</summary>
    public readonly HashBucket* Buckets;

    /// <summary>The table; while the index is resized, the old one.</summary>
    public readonly IndexTable Table;

    /// <summary>The resize under way; null in the stable phase.</summary>
    public readonly Resize? Resize;

    /// <summary>The table that operations will end up with: the new one while the index is resized.</summary>
    public IndexTable Newest => Resize is null ? Table : Resize.New;

    /// <summary>
    /// The number of buckets of the larger table: that of an index which is halved, until all of it has been.
    /// </summary>
    public long LargestBucketCount => Math.Max(BucketCount, Newest.BucketCount);

    /// <summary>The table of a bucket; the epoch of whoever found it, or its pin, keeps it in the state.</summary>
    public IndexTable TableOf(HashBucket* first)
    {
        IndexTable table = Table.Contains(first) ? Table : Newest;
        Debug.Assert(table.Contains(first), "a bucket of a table that is gone");
        return table;
    }

    /// <summary>Whether a table's pairs of buckets are being merged, so that no chain of it may be frozen.</summary>
    public bool IsMerged(IndexTable table) => Resize is { Kind: ResizeKind.Merge } && Resize.Old == table;

    /// <summary>A figure of the table, or of both tables together.</summary>
    public long Sum(Func<IndexTable, long> part) => part(Table) + (Resize is null ? 0 : part(Resize.New));
}
