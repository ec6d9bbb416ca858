using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Resizing;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Tests.Index;

/// <summary>
/// The smallest store that an index can serve: a set of keys, each its own hash, over an array of records that are
/// chained backwards. Operations on it go the way that the real store's go.
/// </summary>
internal sealed unsafe class FakeStore : IChainResizer, IDisposable
{
    private readonly Record[] _records;
    private long _tail;
    private int _merges;

    public FakeStore(long bucketCount, int capacity = 1 << 10)
    {
        _records = new Record[capacity];
        Index = new HashIndex(Epochs, bucketCount, () => Begin);
    }

    public EpochTable Epochs { get; } = new();

    public HashIndex Index { get; }

    public int GrowthsFinished, ShrinksFinished;

    /// <summary>Records below it are gone. Set before sessions run.</summary>
    public long Begin { get; set; }

    /// <summary>Drops all records so far.</summary>
    public void Truncate() => Begin = _tail + 1;

    /// <summary>Every n-th join finds no space at first; 0: none.</summary>
    public int FailsEvery { get; init; }

    /// <summary>Adds a key. False: it is there already.</summary>
    public bool Add(EpochSlot* session, ulong key) => Run(session, key, TryAdd);

    /// <summary>Removes a key. False: it is not there.</summary>
    public bool Remove(EpochSlot* session, ulong key) => Run(session, key, TryRemove);

    /// <summary>Whether a key is there.</summary>
    public bool Contains(EpochSlot* session, ulong key) => Run(session, key, TryContains);

    /// <summary>Makes bucket 0 share tags.</summary>
    public void ShareTags()
    {
        Assert.True(Index.TryLocate(0, out BucketRef bucket));
        Assert.True(SharedTagChain.ShareTags(bucket.Bucket));
    }

    public bool TryStart(ResizeKind kind) => Index.TryStart(kind, this, () =>
    {
        if (kind == ResizeKind.Split) Interlocked.Increment(ref GrowthsFinished);
        else Interlocked.Increment(ref ShrinksFinished);
    });

    public void Drive(EpochSlot* driver) => Index.DriveResize(driver, static () =>
    {
        Probe.Point(ProbePoint.Wait);
        return true;
    });

    public bool TryJoin(long left, long right, ulong hash, long largerBucketCount, out long head)
    {
        head = left == 0 ? right : left;
        Assert.Equal(Index.State.Resize!.Old.BucketCount, largerBucketCount);
        Assert.Equal(HashBits.TagOf(_records[head].Key), HashBits.TagOf(hash));
        long halved = largerBucketCount / 2;
        Assert.Equal(HashBits.BucketOf(_records[head].Key, halved), HashBits.BucketOf(hash, halved));
        if (FailsEvery != 0 && Interlocked.Increment(ref _merges) % FailsEvery == 0) return false;
        if (left == 0 || right == 0) return true;
        long end = left;
        while (_records[end].Previous != 0) end = _records[end].Previous;
        _records[end].Previous = right;
        return true;
    }

    public void Split(long head, in SplitRule rule, out long left, out long right)
    {
        left = right = 0;
        long lastLeft = 0, lastRight = 0;
        for (long at = head, previous; at != 0; at = previous)
        {
            previous = _records[at].Previous;
            if (rule.IsLeft(_records[at].Key)) Append(ref left, ref lastLeft, at);
            else if (rule.IsRight(_records[at].Key)) Append(ref right, ref lastRight, at);
            else Assert.Fail("a chain held a record of another bucket");
        }
    }

    /// <summary>Checks the invariants of an index that no session uses; returns the keys that can be reached.</summary>
    public HashSet<ulong> CheckWhole()
    {
        Assert.False(Index.IsResizing, "a resize has not ended");
        var keys = new HashSet<ulong>();
        long overflow = 0;
        for (long b = 0; b < Index.BucketCount; b++)
        {
            Assert.True(Index.TryLocate(HashesOf.Bucket(b, Index.BucketCount, 0), out BucketRef bucket));
            Assert.Equal(-1, bucket.Pin);
            overflow += CheckChain(b, bucket.Bucket, keys);
        }

        Assert.Equal(overflow, Index.OverflowBuckets);
        return keys;
    }

    public void Dispose()
    {
        Index.Dispose();
    }

    private long CheckChain(long number, HashBucket* bucket, HashSet<ulong> keys)
    {
        HashBucket* first = bucket;
        long buckets = 0;
        var tags = new HashSet<uint>();
        for (; bucket != null; bucket = HashBucket.Next(bucket), buckets++)
        {
            Assert.False(HashBucket.IsClosed(bucket) && bucket != first, "a closed bucket was left behind");
            for (int i = 0; i < HashBucket.EntryCount; i++)
            {
                ulong word = bucket->Entries[i];
                if (word == 0) continue;
                uint tag = (uint)((word & EntryWord.TagMask) >> EntryWord.TagShift);
                Assert.True((word & EntryWord.Tentative) == 0, "a tentative entry was left behind");
                Assert.True(tags.Add(tag), $"bucket {number} has two entries of tag {tag}");
                for (long at = EntryWord.AddressOf(word); at >= Math.Max(Begin, 1); at = _records[at].Previous)
                {
                    ulong key = _records[at].Key;
                    ulong* slot = HashIndex.Find(first, HashBits.TagOf(key), out _);
                    Assert.True(slot == &bucket->Entries[i], $"the tag of key {key:x} leads elsewhere");
                    if (!HashBucket.SharesTags(first)) Assert.Equal(tag, HashBits.TagOf(key));
                    Assert.Equal(number, HashBits.BucketOf(key, Index.BucketCount));
                    if (_records[at].Live != 0) Assert.True(keys.Add(key), "a key is there twice");
                }
            }
        }

        return buckets - 1;
    }

    private delegate bool Step(HashBucket* bucket, ulong key, out bool result);

    private bool Run(EpochSlot* session, ulong key, Step step)
    {
        while (true)
        {
            Epochs.Enter(session);
            if (!Index.TryLocate(key, out BucketRef bucket))
            {
                Epochs.Leave(session);
                if (!Index.HelpResize(session, out bool lacksSpace) && lacksSpace) Probe.Point(ProbePoint.Wait);
                continue;
            }

            bool done = step(bucket.Bucket, key, out bool result);
            Index.Unpin(bucket);
            Epochs.Leave(session);
            if (done) return result;
        }
    }

    private bool TryAdd(HashBucket* bucket, ulong key, out bool result)
    {
        ulong* slot = HashIndex.Find(bucket, HashBits.TagOf(key), out ulong word);
        long head = EntryWord.AddressOf(word);
        result = FindLive(head, key) == 0;
        if (!result) return true;
        long fresh = Interlocked.Increment(ref _tail);
        _records[fresh] = new Record { Key = key, Previous = head, Live = 1 };
        return slot == null
            ? Index.TryInsert(bucket, HashBits.TagOf(key), fresh)
            : HashIndex.TryReplace(slot, word, fresh);
    }

    private bool TryRemove(HashBucket* bucket, ulong key, out bool result)
    {
        ulong* slot = HashIndex.Find(bucket, HashBits.TagOf(key), out ulong word);
        long at = FindLive(EntryWord.AddressOf(word), key);
        result = at != 0 && Interlocked.CompareExchange(ref _records[at].Live, 0, 1) == 1;
        bool last = result && at == EntryWord.AddressOf(word) && _records[at].Previous == 0;
        if (last) HashIndex.TryRemove(slot, word);
        return true;
    }

    private bool TryContains(HashBucket* bucket, ulong key, out bool result)
    {
        HashIndex.Find(bucket, HashBits.TagOf(key), out ulong word);
        result = FindLive(EntryWord.AddressOf(word), key) != 0;
        return true;
    }

    private long FindLive(long head, ulong key)
    {
        for (long at = head; at >= Math.Max(Begin, 1); at = Volatile.Read(ref _records[at].Previous))
            if (_records[at].Key == key && Volatile.Read(ref _records[at].Live) != 0) return at;
        return 0;
    }

    private void Append(ref long head, ref long last, long at)
    {
        _records[at].Previous = 0;
        if (last == 0) head = at;
        else _records[last].Previous = at;
        last = at;
    }

    private struct Record
    {
        public ulong Key;
        public long Previous;
        public int Live;
    }
}
