using Faster.Index.Resizing;

namespace Faster.Index;

/// <summary>The memory that the index has reserved, and whether it may reserve more.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Inserts and resizes do not reserve beyond <see cref="Limit"/>. The exception: inserts into a table whose
/// buckets will be joined get the memory that they need, page by page, since none of its chains may share tags. That
/// lasts until all operations that have seen the previous phase have left.</item>
/// <item>The memory that a resize's conversions will need is set aside when it starts.</item>
/// <item>No chain of a table shares tags when its join begins, nor afterwards: chains begin to share them
/// under <see cref="Gate"/>.</item>
/// </list>
/// <para>Memory is reserved under <see cref="Gate"/>, which is held no longer than that takes, and by no thread that
/// waits for an epoch. The other members are thread-safe.</para>
/// </remarks>
internal sealed class IndexBudget
{
    private long _retired;

    /// <summary>
    /// Held to reserve memory within the limit, from the reading of the index's state on, and to make a chain share
    /// tags.
    /// </summary>
    public Lock Gate { get; } = new();

    /// <summary>The maximum number of bytes that may be reserved.</summary>
    public long Limit { get; set; } = long.MaxValue;

    /// <summary>The bytes that the tables of a state, and one that is still to be freed, have reserved.</summary>
    public long Bytes(IndexState state) => state.Sum(static table => table.Bytes) + Volatile.Read(ref _retired);

    /// <summary>The value of <see cref="Bytes"/> during a resize that starts now.</summary>
    /// <param name="kind">Whether the index doubles or is halved.</param>
    /// <param name="state">The state, in the stable phase.</param>
    /// <param name="spare">The bytes that are set aside for overflow buckets.</param>
    public long BytesTo(ResizeKind kind, IndexState state, long spare)
    {
        long count = state.Table.BucketCount, buckets = kind == ResizeKind.Split ? 2 * count : count / 2;
        return Bytes(state) + (buckets * HashBucket.SizeInBytes) + spare;
    }

    /// <summary>Reserves memory for the overflow buckets of inserts.</summary>
    /// <param name="state">The index's state.</param>
    /// <param name="table">The table, of the state.</param>
    /// <param name="mayExceed">Whether the limit may be exceeded by the memory needed now.</param>
    /// <returns>False: the limit forbids it, and the chain must share tags.</returns>
    public bool TryExtend(IndexState state, IndexTable table, bool mayExceed)
    {
        // Read before Bytes: memory that conversions reserve meanwhile is counted twice rather than not at all.
        long reserved = state.Resize is { } resize ? resize.SpareBytesLeft : 0;
        long free = Limit - Bytes(state) - reserved;
        if (mayExceed) return table.Pool.TryExtend(Math.Max(free, OverflowPool.MinBytes));

        // The split of an old table's chain may need twice the memory that lengthened it, and a little more.
        return table.Pool.TryExtend(state.Resize?.Old == table ? free / 4 : free);
    }

    /// <summary>Counts a table that is in no state any more until it has been freed; 0 when it has been.</summary>
    public void SetRetired(long bytes) => Volatile.Write(ref _retired, bytes);
}
