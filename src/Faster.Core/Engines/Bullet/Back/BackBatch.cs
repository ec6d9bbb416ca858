using Faster.Persistence;
using Faster.Probes;

namespace Faster.Engines.Bullet.Back;

/// <summary>Changes of one part that become durable, and visible, together; one batch after another.</summary>
/// <remarks>
/// <para>Its holder has the part until <see cref="Dispose"/>. Entries are written into blocks that nothing leads to.
/// All else that changes are words, which are staged and stored at the commit; the protocol and its proof are in
/// <see cref="RedoSlots"/>. What is not committed has changed nothing.</para>
/// <para>A block that the batch frees is freed at the commit, after all allocations: so no block is written that the
/// words before the batch lead to. Its first eight bytes, which are a word of the list of free blocks until then, are
/// written as a word only.</para>
/// <para>An operation that throws has changed no key in the batch. Not thread-safe: it belongs to the holder.</para>
/// </remarks>
internal sealed unsafe class BackBatch : IDisposable
{
    private const int SplitsOfChange = 2, RoundsOfTombstone = 2;
    private const int LinkWords = 6; // and the sequence, and the block
    private const int ChangeWords = RegionHeap.AllocateWords + RegionHeap.FreeWords + LinkWords;
    private const int UnlinkWords = RegionHeap.FreeWords + LinkWords;

    private readonly BackPart _part;
    private readonly PersistentRegion _region;
    private readonly byte* _bytes;
    private readonly LoadDelay _loads;
    private readonly long _page;
    private readonly StagedWords _words;
    private readonly RedoSlots? _redo;
    private readonly RegionHeap _heap;
    private readonly BackBuckets _buckets;
    private readonly int _capacity;
    private readonly Dictionary<long, long> _written = []; // blocks, and their sizes
    private readonly List<(long Block, int PagesBack)> _freed = [];
    private long _round, _sweep;

    /// <summary>The batch of a part, which is used again and again.</summary>
    /// <param name="part">The part.</param>
    /// <param name="region">The region.</param>
    /// <param name="space">Where the part lies.</param>
    /// <param name="redo">Its redo slots; null: batches are not atomic.</param>
    /// <param name="capacity">The most words and blocks of a batch.</param>
    public BackBatch(BackPart part, PersistentRegion region, PartSpace space, RedoSlots? redo, int capacity)
    {
        _bytes = region.Pointer;
        (_part, _region, _loads, _page) = (part, region, region.Loads, space.Page);
        (_redo, _capacity) = (redo, capacity);
        _words = new StagedWords(region, capacity);
        _heap = new RegionHeap(_words, space);
        _buckets = new BackBuckets(_words, _heap, space.Page);
    }

    private int Left => _capacity - _words.Count - _written.Count - (_freed.Count * RegionHeap.FreeWords);

    /// <summary>Begins for a new holder.</summary>
    /// <param name="round">The current round.</param>
    public BackBatch Begin(long round)
    {
        _round = round;
        return this;
    }

    /// <summary>Gives a key a value, unless the back has a change of it that is not older.</summary>
    /// <param name="hash">The key's hash, of which all bits are mixed.</param>
    /// <param name="key">The key, at most <see cref="BackLayout.MaxKeyBytes"/>.</param>
    /// <param name="value">The value.</param>
    /// <param name="counter">The number of the change, above 0.</param>
    /// <exception cref="LimitExceededException">The part has no space.</exception>
    public BackChange TryPut(ulong hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long counter) =>
        TryChange(hash, key, value, counter, isRemoval: false);

    /// <summary>
    /// Says that a key was removed, unless the back has a change of it that is not older: a tombstone, which stays
    /// until two rounds later.
    /// </summary>
    /// <inheritdoc cref="TryPut"/>
    public BackChange TryRemove(ulong hash, ReadOnlySpan<byte> key, long counter) =>
        TryChange(hash, key, default, counter, isRemoval: true);

    /// <summary>Looks for tombstones whose time is over in the next few buckets, and takes them out.</summary>
    /// <param name="buckets">How many.</param>
    /// <returns>False: the batch is full, and must be committed first.</returns>
    public bool TrySweep(int buckets)
    {
        if (_words.Read(_page + BackLayout.TombstonesAt) == 0) return true;
        for (; buckets > 0; buckets--, _sweep++)
        {
            if (Left < UnlinkWords) return false;
            if (_sweep >= _buckets.Count) _sweep = 0;
            SweepBucket(_buckets.HeadAt(_sweep));
        }

        return true;
    }

    /// <summary>Takes in the areas that the part does not have yet, and makes its first buckets.</summary>
    /// <param name="areas">All areas of the part.</param>
    /// <exception cref="LimitExceededException">The part is too small.</exception>
    public void Prepare(ReadOnlySpan<(long Begin, long End)> areas)
    {
        int known = (int)_words.Read(_page + BackLayout.AreasAt);
        for (int i = known; i < areas.Length; i++)
        {
            _heap.AddArea(areas[i]);
            _words.Stage(_page + BackLayout.AreasAt, i + 1);
            Commit();
        }

        if (_buckets.Count != 0) return;
        if (!_buckets.TryMake()) throw Full();
        Commit();
    }

    /// <summary>Makes the changes visible and durable. The holder may go on with another batch.</summary>
    /// <exception cref="StorageException">The region fails: nothing becomes durable any more.</exception>
    public void Commit()
    {
        if (_words.Count == 0 && _freed.Count == 0) return;
        foreach ((long block, int pagesBack) in _freed) _heap.Free(block, pagesBack);
        _freed.Clear();
        if (_redo is not null)
        {
            long sequence = _words.Read(_page + BackLayout.SequenceAt) + 1;
            _words.Stage(_page + BackLayout.SequenceAt, sequence);
            if (Probe.On && Probe.Has(SeededBug.WordsBeforeRedo)) Store();
            _redo.Write(sequence, _words, _written);
            _region.Fence();
        }

        Store();
        if (!(Probe.On && Probe.Has(SeededBug.RedoReusedEarly))) _region.Fence();
        Clear();
    }

    /// <summary>Drops what is not committed, and releases the part.</summary>
    public void Dispose()
    {
        Clear();
        _part.Release();
    }

    private BackChange TryChange(
        ulong hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long counter, bool isRemoval)
    {
        if (Left < ChangeWords) return BackChange.Full;
        long head = _buckets.HeadAt(BackBuckets.BucketOf(hash, _buckets.Count));
        long old = Find(head, hash, key, out long linkAt);
        BackEntry found = old == 0 ? default : _words.EntryAt(old);
        if (old != 0 && found.Counter >= counter) return BackChange.Older;
        if (Left < ChangeWords) return BackChange.Full; // the search has taken out tombstones
        long block = Write(hash, key, value, counter, isRemoval);
        Count(isRemoval, 1);
        if (old == 0)
        {
            Link(block, head, _words.Read(head));
            for (int i = 0; i < SplitsOfChange && _buckets.IsSplitDue; i++) _buckets.TrySplit(Left - LinkWords);
            return BackChange.Applied;
        }

        Count(found.IsTombstone, -1);
        Link(block, linkAt, _words.Read(old + BackEntry.NextAt));
        Free(old, found.PagesBack);
        return BackChange.Applied;
    }

    // The entry of a key, 0 if there is none, and the word that leads to it. Takes out tombstones on the way.
    private long Find(long head, ulong hash, ReadOnlySpan<byte> key, out long linkAt)
    {
        (linkAt, long left) = (head, _buckets.Entries);
        _loads.Wait();
        for (long at = _words.Read(head); at != 0;)
        {
            _buckets.CountStep(ref left, at);
            _loads.Wait();
            BackEntry entry = _words.EntryAt(at);
            if (entry.Hash == hash && entry.Key.SequenceEqual(key)) return at;
            at = Pass(at, entry, ref linkAt);
        }

        return 0;
    }

    private void SweepBucket(long linkAt)
    {
        for (long at = _words.Read(linkAt), left = _buckets.Entries; at != 0;)
        {
            _buckets.CountStep(ref left, at);
            at = Pass(at, _words.EntryAt(at), ref linkAt);
        }
    }

    // Goes to the next entry, and takes this one out if it is a tombstone whose time is over.
    private long Pass(long at, BackEntry entry, ref long linkAt)
    {
        long next = _words.Read(at + BackEntry.NextAt);
        if (!entry.IsTombstone || entry.Round > _round - RoundsOfTombstone || Left < UnlinkWords)
        {
            linkAt = at + BackEntry.NextAt;
            return next;
        }

        _words.Stage(linkAt, next);
        Count(isTombstone: true, -1);
        Free(at, entry.PagesBack);
        return next;
    }

    private long Write(ulong hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long counter, bool isRemoval)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(key.Length, BackLayout.MaxKeyBytes);
        long size = BackEntry.SizeOf(key.Length, isRemoval ? sizeof(long) : value.Length);
        long block = _heap.Allocate(size, out int pagesBack);
        if (block == 0) throw Full();
        if (isRemoval) BackEntry.WriteTombstone(_bytes + block, hash, counter, pagesBack, key, _round);
        else BackEntry.Write(_bytes + block, hash, counter, pagesBack, key, value);
        _region.Flush(block + BackEntry.ContentAt, size - BackEntry.ContentAt);
        _written.Add(block, size);
        return block;
    }

    private void Link(long block, long linkAt, long next)
    {
        _words.Stage(block + BackEntry.NextAt, next);
        _words.Stage(linkAt, block);
    }

    private void Free(long block, int pagesBack)
    {
        _ = _written.Remove(block); // of this batch: it is written again by the next one, and not covered any more
        if (Probe.On && Probe.Has(SeededBug.FreedInBatchReused)) _heap.Free(block, pagesBack);
        else _freed.Add((block, pagesBack));
    }

    private void Count(bool isTombstone, int change) =>
        _words.Add(_page + (isTombstone ? BackLayout.TombstonesAt : BackLayout.EntriesAt), change);

    private void Store()
    {
        _ = _part.Lock.Enter();
        _words.Store();
        _part.Lock.Exit();
        _words.Flush();
    }

    private void Clear()
    {
        _words.Clear();
        _written.Clear();
        _freed.Clear();
    }

    private LimitExceededException Full() => new(
        $"A part of the back in '{_region.Name}' has no space left for an entry. Open the store with more Capacity; "
        + "each of its parts has an even share of it.");
}
