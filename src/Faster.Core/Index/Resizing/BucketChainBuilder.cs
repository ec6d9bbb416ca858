namespace Faster.Index.Resizing;

/// <summary>Appends entries to a bucket chain of the new table while the index is resized.</summary>
/// <remarks>Not thread-safe: no other thread may know the chain yet.</remarks>
internal unsafe struct BucketChainBuilder
{
    private readonly IndexTable _table;
    private readonly HashBucket* _first;
    private HashBucket* _bucket;
    private HashBucket* _spare;
    private int _count;

    /// <summary>Starts at the end of the chain, after what an earlier attempt has appended.</summary>
    public BucketChainBuilder(IndexTable table, HashBucket* bucket)
    {
        _table = table;
        _first = bucket;
        while (HashBucket.Next(bucket) != null) bucket = HashBucket.Next(bucket);
        _bucket = bucket;
        while (_count < HashBucket.EntryCount && bucket->Entries[_count] != 0) _count++;
    }

    /// <summary>Ensures that the next <see cref="Add"/> needs no memory.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public void MakeSpace()
    {
        if (_count == HashBucket.EntryCount && _spare == null) _spare = _table.ResizePool.Take();
    }

    /// <summary>Appends an entry; there must be space for it.</summary>
    public void Add(ulong word)
    {
        if (_count == HashBucket.EntryCount)
        {
            _bucket->Overflow |= (ulong)_spare;
            _table.CountLinked(1);
            _bucket = _spare;
            _spare = null;
            _count = 0;
        }

        _bucket->Entries[_count++] = word;
    }

    /// <summary>Returns an unused overflow bucket and passes the state of shared tags on.</summary>
    /// <param name="sharesTags">
    /// Whether the chain that was split shares tags: if so, the new chain does too, unless it is empty.
    /// </param>
    public readonly void End(bool sharesTags)
    {
        if (sharesTags && _count != 0 && !HashBucket.SharesTags(_first))
        {
            _first->Overflow |= HashBucket.SharedTags;
            _table.CountSharedTags();
        }

        if (_spare != null) _table.ResizePool.GiveBack(_spare);
    }
}
