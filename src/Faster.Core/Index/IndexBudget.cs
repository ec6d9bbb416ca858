namespace Faster.Index;

/// <summary>What the index has reserved, and whether it may reserve more.</summary>
/// <remarks>
/// <para>Invariant: inserts and resizes do not reserve beyond <see cref="Limit"/>, and what the conversions of a resize
/// will need is put by when it begins. The exception: inserts into a table whose buckets are to be merged get what they
/// need, page by page, since none of its chains may be frozen. That lasts until all who have seen the phase before have
/// left.</para>
/// <para>Reserving is done under <see cref="Gate"/>, which is held for no longer than that takes, and by nobody who
/// waits for an epoch; so is freezing, so that no chain of a table is frozen when its merging begins, nor afterwards.
/// The rest is thread-safe.</para>
/// </remarks>
internal sealed class IndexBudget
{
    private long _retired;

    /// <summary>
    /// Held by who reserves within the limit, from the reading of the index's state on; and by who freezes.
    /// </summary>
    public Lock Gate { get; } = new();

    /// <summary>The most bytes that may be reserved.</summary>
    public long Limit { get; set; } = long.MaxValue;

    /// <summary>What the tables of a state have reserved, and one that is still to be freed, in bytes.</summary>
    public long Bytes(IndexState state) => state.Sum(static table => table.Bytes) + Volatile.Read(ref _retired);

    /// <summary>What <see cref="Bytes"/> would come to during a resize that begins now.</summary>
    /// <param name="kind">Which way.</param>
    /// <param name="state">The state, in the stable phase.</param>
    /// <param name="spare">What is to be put by for overflow buckets, in bytes.</param>
    public long BytesTo(ResizeKind kind, IndexState state, long spare)
    {
        long count = state.Table.BucketCount, buckets = kind == ResizeKind.Split ? 2 * count : count / 2;
        return Bytes(state) + (buckets * HashBucket.SizeInBytes) + spare;
    }

    /// <summary>Reserves memory for overflow buckets that inserts take.</summary>
    /// <param name="state">The index's state.</param>
    /// <param name="table">The table, of the state.</param>
    /// <param name="mayExceed">Whether the limit may be exceeded by what is needed now.</param>
    /// <returns>False: the limit forbids it, and the chain is to be frozen.</returns>
    public bool TryExtend(IndexState state, IndexTable table, bool mayExceed)
    {
        // Read before Bytes: what conversions take meanwhile is counted twice rather than not at all.
        long reserved = state.Resize is { } resize ? resize.SpareBytesLeft : 0;
        long free = Limit - Bytes(state) - reserved;
        if (mayExceed) return table.Pool.TryExtend(Math.Max(free, OverflowPool.LeastBytes));

        // What lengthens a chain of the old table, its split may need twice over, and a little more.
        return table.Pool.TryExtend(state.Resize?.Old == table ? free / 4 : free);
    }

    /// <summary>Counts a table that is in no state any more until it has been freed; 0: it has been.</summary>
    public void SetRetired(long bytes) => Volatile.Write(ref _retired, bytes);
}
