using System.Diagnostics;
using Faster.Index.Resizing;

namespace Faster.Index;

/// <summary>
/// Everything that an operation must know about the index, as of one moment (the paper's ResizeStatus).
/// </summary>
/// <remarks>
/// Immutable, and published as one reference, so that one read yields a phase and the matching tables. The table's
/// fields are copied here to save the hit path a dependent load. Thread-safe.
/// </remarks>
internal sealed unsafe class IndexState
{
    /// <summary>Makes the stable phase of a table.</summary>
    public IndexState(IndexTable table)
        : this(IndexPhase.Stable, table, null)
    {
    }

    /// <summary>Makes a phase of a resize.</summary>
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

    /// <summary>The phase of the index's resize, if there is one.</summary>
    public readonly IndexPhase Phase;

    /// <summary>The table's number of buckets.</summary>
    public readonly long BucketCount;

    /// <summary>The table's first bucket.</summary>
    public readonly HashBucket* Buckets;

    /// <summary>The table; while the index is resized, the old one.</summary>
    public readonly IndexTable Table;

    /// <summary>The resize in progress; null in the stable phase.</summary>
    public readonly Resize? Resize;

    /// <summary>The table that operations will finally use: the new one while the index is resized.</summary>
    public IndexTable Newest => Resize is null ? Table : Resize.New;

    /// <summary>
    /// The number of buckets of the larger table: that of an index that is being halved, until the halving has ended.
    /// </summary>
    public long LargestBucketCount => Math.Max(BucketCount, Newest.BucketCount);

    /// <summary>The table of a bucket; the caller's epoch, or its pin, keeps the table in the state.</summary>
    public IndexTable TableOf(HashBucket* first)
    {
        IndexTable table = Table.Contains(first) ? Table : Newest;
        Debug.Assert(table.Contains(first), "the bucket belongs to no table of the state");
        return table;
    }

    /// <summary>Whether a table's pairs of buckets are being joined, so that no chain of it may share tags.</summary>
    public bool IsJoined(IndexTable table) => Resize is { Kind: ResizeKind.Join } && Resize.Old == table;

    /// <summary>The sum of a value over the table, or over both tables.</summary>
    public long Sum(Func<IndexTable, long> part) => part(Table) + (Resize is null ? 0 : part(Resize.New));
}
