namespace Faster.Index.Entries;

/// <summary>The final entries of a bucket and its overflow buckets, each as it is when it is reached.</summary>
/// <remarks>
/// Used under the caller's epoch, in which the buckets stay. Not thread-safe: it belongs to its caller.
/// </remarks>
internal unsafe ref struct BucketEntries
{
    private readonly HashBucket* _first;
    private HashBucket* _bucket;
    private int _next;

    /// <summary>Begins in front of the first entry.</summary>
    public BucketEntries(HashBucket* first) => _first = _bucket = first;

    /// <summary>The entry that was reached.</summary>
    public EntryRef Current { get; private set; }

    /// <summary>Reaches the next entry.</summary>
    public bool MoveNext()
    {
        for (; _bucket != null; _bucket = HashBucket.Next(_bucket), _next = 0)
        {
            while (_next < HashBucket.EntryCount)
            {
                ulong* slot = &_bucket->Entries[_next++];
                ulong word = Volatile.Read(ref *slot);
                if (word == 0 || (word & EntryWord.Tentative) != 0) continue;
                Current = new EntryRef { Home = _first, Slot = slot, Word = word };
                return true;
            }
        }

        return false;
    }

    /// <summary>For <c>foreach</c>.</summary>
    public readonly BucketEntries GetEnumerator() => this;
}
