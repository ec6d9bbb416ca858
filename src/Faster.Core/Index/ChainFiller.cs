namespace Faster.Index;

/// <summary>Appends entries to a chain of the new table while the index is resized.</summary>
/// <remarks>Not thread-safe: nobody else may know the chain yet.</remarks>
internal unsafe struct ChainFiller
{
    private readonly IndexTable _table;
    private readonly HashBucket* _first;
    private HashBucket* _bucket;
    private HashBucket* _spare;
    private int _count;

    /// <summary>Goes to the end of what the chain holds: of what an earlier try has left there.</summary>
    public ChainFiller(IndexTable table, HashBucket* bucket)
    {
        _table = table;
        _first = bucket;
        while (HashBucket.Next(bucket) != null) bucket = HashBucket.Next(bucket);
        _bucket = bucket;
        while (_count < HashBucket.EntryCount && bucket->Entries[_count] != 0) _count++;
    }

    /// <summary>Makes sure that an <see cref="Add"/> needs no memory.</summary>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public void MakeRoom()
    {
        if (_count == HashBucket.EntryCount && _spare == null) _spare = _table.ResizePool.Take();
    }

    /// <summary>Appends an entry, for which there must be room.</summary>
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

    /// <summary>Gives back what was not needed.</summary>
    /// <param name="frozen">
    /// Whether a chain that was split is frozen: so is what came of it, unless that is empty.
    /// </param>
    public readonly void End(bool frozen)
    {
        if (frozen && _count != 0 && !HashBucket.IsFrozen(_first))
        {
            _first->Overflow |= HashBucket.Frozen;
            _table.CountFrozen();
        }

        if (_spare != null) _table.ResizePool.GiveBack(_spare);
    }
}
