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

    /// <summary>A phase of a growth.</summary>
    public IndexState(IndexPhase phase, Growth growth)
        : this(phase, growth.Old, growth)
    {
    }

    private IndexState(IndexPhase phase, IndexTable table, Growth? growth)
    {
        Phase = phase;
        Table = table;
        Buckets = table.Buckets;
        BucketCount = table.BucketCount;
        Growth = growth;
    }

    /// <summary>The phase.</summary>
    public readonly IndexPhase Phase;

    /// <summary>The table's number of buckets.</summary>
    public readonly long BucketCount;

    /// <summary>The table's first bucket.</summary>
    public readonly HashBucket* Buckets;

    /// <summary>The table; while the index grows, the old one.</summary>
    public readonly IndexTable Table;

    /// <summary>The growth under way; null in the stable phase.</summary>
    public readonly Growth? Growth;

    /// <summary>The table that operations will end up with: the new one while the index grows.</summary>
    public IndexTable Newest => Growth is null ? Table : Growth.New;

    /// <summary>The table of a bucket; the epoch of whoever found it, or its pin, keeps it in the state.</summary>
    public IndexTable TableOf(HashBucket* first)
    {
        IndexTable table = Table.Contains(first) ? Table : Newest;
        Debug.Assert(table.Contains(first), "a bucket of a table that is gone");
        return table;
    }

    /// <summary>A figure of the table, or of both tables together.</summary>
    public long Sum(Func<IndexTable, long> part) => part(Table) + (Growth is null ? 0 : part(Growth.New));
}
