namespace Faster.Index;

/// <summary>What the index has reserved, and whether it may reserve more.</summary>
/// <remarks>
/// Invariant: inserts and growth never reserve beyond <see cref="Limit"/>, and what the splits of a growth will need
/// is put by when it begins. Reserving is done under <see cref="Gate"/>, which is held for no longer than that takes,
/// and by nobody who waits for an epoch. The rest is thread-safe.
/// </remarks>
internal sealed class IndexBudget
{
    private long _retired;

    /// <summary>Held by who reserves within the limit, from the reading of the index's state on.</summary>
    public Lock Gate { get; } = new();

    /// <summary>The most bytes that may be reserved.</summary>
    public long Limit { get; set; } = long.MaxValue;

    /// <summary>What the tables of a state have reserved, and one that is still to be freed, in bytes.</summary>
    public long Bytes(IndexState state) => state.Sum(static table => table.Bytes) + Volatile.Read(ref _retired);

    /// <summary>What <see cref="Bytes"/> would come to during a growth that begins now.</summary>
    public long BytesToGrow(IndexState state)
    {
        IndexTable table = state.Newest;
        return Bytes(state) + (2 * table.BucketCount * HashBucket.SizeInBytes) + Growth.SplitBytes(table);
    }

    /// <summary>Reserves memory for overflow buckets that inserts take.</summary>
    /// <returns>False: the limit forbids it.</returns>
    public bool TryExtend(IndexState state, IndexTable table)
    {
        // Read before Bytes: what splits take meanwhile is counted twice rather than not at all.
        long reserved = state.Growth is { } growth ? growth.SplitBytesLeft : 0;
        long free = Limit - Bytes(state) - reserved;

        // What lengthens a chain of the old table, its split may need twice over, and a little more.
        return table.Pool.TryExtend(state.Growth?.Old == table ? free / 4 : free);
    }

    /// <summary>Counts a table that is in no state any more until it has been freed; 0: it has been.</summary>
    public void SetRetired(long bytes) => Volatile.Write(ref _retired, bytes);
}
