using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Index;

/// <summary>
/// The hash index (paper 000 §3 and App. B): from a hash to the newest record of a chain, latch-free, growing while it
/// is in use.
/// </summary>
/// <remarks>
/// <para>Invariants: at most one non-tentative entry for each (bucket, tag); an entry's slot stays good until the epoch
/// of the operation that found it ends. Why they hold, and through growth: docs/INDEX.md.</para>
/// <para>Inserts and growth keep to <see cref="ByteLimit"/>: a chain that would need memory beyond it is frozen, and
/// further tags share the entries that it has (<see cref="FrozenChain{TProbe}"/>).</para>
/// <para>An operation goes: enter the epoch; <see cref="TryLocate"/>; <see cref="Find"/>; then <see cref="TryInsert"/>,
/// <see cref="TryReplace"/> or <see cref="TryRemove"/>; <see cref="Unpin"/>; leave the epoch. Where TryLocate says no,
/// it unpins what it had, leaves, calls <see cref="HelpGrowth"/>, and begins again: nothing waits in an epoch.</para>
/// <para>Thread-safe, but for <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class HashIndex<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int MostYields = 8;

    private readonly EpochTable<TProbe> _epochs;
    private readonly IndexBudget _budget = new();
    private volatile IndexState _state;
    private int _growing;
    private int _crowdedRaised;

    /// <summary>Reserves an empty index.</summary>
    /// <param name="epochs">The epochs that its users enter.</param>
    /// <param name="bucketCount">The number of buckets of seven entries, 1 or more.</param>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public HashIndex(EpochTable<TProbe> epochs, long bucketCount)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bucketCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bucketCount, HashBits.MaxBucketCount);
        _epochs = epochs;
        _state = new IndexState(new IndexTable(bucketCount));
    }

    /// <summary>
    /// Called when overflow buckets get many, at most once until the next growth. Runs within the epoch of the insert
    /// that noticed: it must return at once, and must not throw.
    /// </summary>
    public Action? Crowded { get; set; }

    /// <summary>
    /// Called when memory for overflow buckets has been reserved. Like <see cref="Crowded"/>, within an epoch.
    /// </summary>
    public Action? Extended { get; set; }

    /// <summary>The most memory that may be reserved, in bytes, two tables while the index grows included.</summary>
    public long ByteLimit
    {
        get => _budget.Limit;
        set => _budget.Limit = value;
    }

    /// <summary>How many buckets, overflow buckets not counted; while the index grows, in the new table.</summary>
    public long BucketCount => _state.Newest.BucketCount;

    /// <summary>How many overflow buckets are linked; while the index grows, in both tables.</summary>
    public long OverflowBuckets => _state.Sum(static table => table.OverflowBuckets);

    /// <summary>The memory reserved, in bytes, until an old table has been freed that of both tables.</summary>
    public long Bytes => _budget.Bytes(_state);

    /// <summary>What <see cref="Bytes"/> would come to during a growth that begins now.</summary>
    public long BytesToGrow => _budget.BytesToGrow(_state);

    /// <summary>How many chains are frozen; while the index grows, in both tables.</summary>
    public long FrozenBuckets => _state.Sum(static table => table.FrozenBuckets);

    /// <summary>Whether so many chains overflow that the index should grow.</summary>
    public bool IsCrowded => _state.Newest.IsCrowded;

    /// <summary>Held by who grows the index, and by who writes or loads a checkpoint of it.</summary>
    public SemaphoreSlim Exclusion { get; } = new(1, 1);

    /// <summary>The tables and the phase. Each end of the stable phase is followed by a bump of the epoch.</summary>
    public IndexState State => _state;

    /// <summary>Whether a growth is under way; until the old table has been freed.</summary>
    public bool IsGrowing => Volatile.Read(ref _growing) != 0;

    /// <summary>The bucket of a hash, under the caller's epoch.</summary>
    /// <returns>False: growth is in the way, and the caller must leave its epoch before it tries again.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLocate(ulong hash, out BucketRef bucket)
    {
        TProbe.Point(ProbePoint.GrowthState);
        IndexState state = _state;
        if (state.Phase != IndexPhase.Stable)
        {
            // By a local of its own, so that the one of the hit path stays in registers.
            bool located = TryLocateGrowing(hash, out BucketRef found);
            bucket = found;
            return located;
        }

        bucket.Bucket = state.Buckets + HashBits.BucketOf(hash, state.BucketCount);
        bucket.Pin = -1;
        return true;
    }

    /// <summary>Lets go of what <see cref="TryLocate"/> pinned: once, before the operation's epoch is left.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Unpin(BucketRef bucket)
    {
        if (bucket.Pin >= 0) UnpinChunk(bucket.Pin);
    }

    /// <summary>Brings a hash's bucket nearer to the processor; in any phase, in or out of an epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (!Sse.IsSupported) return;
        IndexState state = _state;
        Sse.Prefetch0(state.Buckets + HashBits.BucketOf(hash, state.BucketCount));
    }

    /// <summary>
    /// The slot of a tag's non-tentative entry, or of the one that it shares in a frozen chain, and the word as read
    /// once; null when there is none.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong* Find(HashBucket* bucket, uint tag, out ulong word) =>
        BucketChain<TProbe>.Find(bucket, tag, out word);

    /// <summary>The chain address in an entry's word: negative when it is one of the read cache.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long AddressOf(ulong word) => EntryWord.AddressOf(word);

    /// <summary>
    /// Inserts an entry in two phases: tentative, then final when there is no other of its tag (§3.2).
    /// </summary>
    /// <param name="bucket">What <see cref="TryLocate"/> gave.</param>
    /// <param name="tag">The hash's tag.</param>
    /// <param name="address">The address of a record that has been written, not 0.</param>
    /// <returns>
    /// False: there is an entry for the tag by now, or was, or the chain was frozen; the caller tries again from Find.
    /// </returns>
    /// <exception cref="LimitExceededException">The system refuses memory for an overflow bucket.</exception>
    public bool TryInsert(HashBucket* bucket, uint tag, long address)
    {
        ulong entry = EntryWord.Of(tag, address);
        while (BucketChain<TProbe>.Find(bucket, tag, out _) == null)
        {
            ulong* slot = BucketChain<TProbe>.FindEmpty(bucket, out HashBucket* last);
            if (slot == null)
            {
                Lengthen(bucket, last);
                continue;
            }

            bool frozen = HashBucket.IsFrozen(bucket);
            TProbe.Point(ProbePoint.IndexTentative);
            if (TProbe.Has(SeededBug.InsertWithoutTentative))
                return Interlocked.CompareExchange(ref *slot, entry, 0) == 0;
            if (Interlocked.CompareExchange(ref *slot, entry | EntryWord.Tentative, 0) == 0)
                return BucketChain<TProbe>.TryFinalize(bucket, slot, entry, frozen);
        }

        return false;
    }

    /// <summary>Puts another address into an entry, which keeps its tag.</summary>
    /// <param name="slot">What <see cref="Find"/> gave.</param>
    /// <param name="expected">The word that the entry must still have.</param>
    /// <param name="newAddress">The chain address of a record that has been written, not 0.</param>
    /// <returns>False: the entry has changed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryReplace(ulong* slot, ulong expected, long newAddress)
    {
        TProbe.Point(ProbePoint.IndexReplace);
        ulong word = EntryWord.WithAddress(expected, newAddress);
        return Interlocked.CompareExchange(ref *slot, word, expected) == expected;
    }

    /// <summary>Removes an entry whose records are all dead: its slot is empty then.</summary>
    /// <remarks>
    /// Right in a frozen chain too, but its slots are not filled again while it has entries: who can do without removes
    /// none there.
    /// </remarks>
    /// <param name="slot">What <see cref="Find"/> gave.</param>
    /// <param name="expected">The word that the entry must still have.</param>
    /// <returns>False: the entry has changed.</returns>
    public static bool TryRemove(ulong* slot, ulong expected)
    {
        TProbe.Point(ProbePoint.IndexReplace);
        return Interlocked.CompareExchange(ref *slot, 0, expected) == expected;
    }

    /// <summary>
    /// Begins to double the index; operations and <see cref="DriveGrowth"/> do the work. Does not wait.
    /// </summary>
    /// <param name="splitter">Parts the chains of records.</param>
    /// <param name="onFinished">Called once, as an epoch action, when the old table has been freed.</param>
    /// <returns>False: a growth is under way, or <see cref="ByteLimit"/> forbids it.</returns>
    /// <exception cref="LimitExceededException">The system refuses memory for the new table.</exception>
    public bool TryStartGrowth(IChainSplitter splitter, Action onFinished)
    {
        if (Interlocked.CompareExchange(ref _growing, 1, 0) != 0) return false;
        Growth? growth = null;
        try
        {
            lock (_budget.Gate)
            {
                if (BytesToGrow <= ByteLimit)
                {
                    IndexTable old = _state.Table;
                    growth = new Growth(old, new IndexTable(checked(old.BucketCount * 2)), splitter, onFinished);
                    _state = new IndexState(IndexPhase.Prepare, growth);
                }
            }
        }
        finally
        {
            if (growth is null) Volatile.Write(ref _growing, 0);
        }

        if (growth is null) return false;
        if (TProbe.Has(SeededBug.ResizeWithoutEpoch)) _state = new IndexState(IndexPhase.Resizing, growth);
        else _epochs.Bump(() => _state = new IndexState(IndexPhase.Resizing, growth));
        return true;
    }

    /// <summary>
    /// Splits a chunk if one is free, and otherwise waits a little for those who split. Called outside any epoch.
    /// </summary>
    /// <param name="slot">The caller's slot, which is entered while a chunk is split.</param>
    /// <returns>Whether a chunk was split.</returns>
    public bool HelpGrowth(EpochSlot* slot)
    {
        TProbe.Point(ProbePoint.GrowthState);
        IndexState state = _state;
        int chunk = state.Phase == IndexPhase.Resizing ? state.Growth!.FindFreeChunk() : -1;
        if (chunk >= 0)
        {
            _epochs.Enter(slot);
            try
            {
                if (TrySplit(state.Growth!, chunk)) return true;
            }
            finally
            {
                _epochs.Leave(slot);
            }
        }

        if (IsGrowing) WaitForOthers();
        return false;
    }

    /// <summary>
    /// Stays until no growth is under way, so that one ends even if nobody operates. For a thread of the store that may
    /// wait; called outside any epoch.
    /// </summary>
    /// <param name="slot">The caller's slot, which is entered while a chunk is split.</param>
    public void DriveGrowth(EpochSlot* slot)
    {
        var idle = default(SpinWait);
        while (IsGrowing)
        {
            if (HelpGrowth(slot)) idle.Reset();
            else idle.SpinOnce();
        }
    }

    /// <summary>Frees the memory. Nobody may use the index any more.</summary>
    public void Dispose()
    {
        IndexState state = _state;
        state.Table.Dispose();
        state.Growth?.New.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryLocateGrowing(ulong hash, out BucketRef bucket)
    {
        bucket = default;
        while (true)
        {
            IndexState state = _state;
            long index = HashBits.BucketOf(hash, state.BucketCount);
            bucket.Bucket = state.Buckets + index;
            bucket.Pin = -1;
            if (state.Phase == IndexPhase.Stable) return true;

            Growth growth = state.Growth!;
            int chunk = growth.ChunkOf(index);
            if (state.Phase == IndexPhase.Prepare)
            {
                TProbe.Point(ProbePoint.GrowthPin);
                bucket.Pin = chunk;
                if (growth.TryPin(chunk)) return true;

                // Splitting has begun, so the state that was read has been replaced.
                TProbe.Point(ProbePoint.GrowthState);
                continue;
            }

            if (!growth.IsSplit(chunk) && !TrySplit(growth, chunk)) return false;
            bucket.Bucket = growth.New.Buckets + HashBits.BucketOf(hash, growth.New.BucketCount);
            return true;
        }
    }

    // Under the caller's epoch, in the resizing phase. False: others pin the chunk, or one splits it.
    private bool TrySplit(Growth growth, int chunk)
    {
        TProbe.Point(ProbePoint.GrowthPin);
        bool claimed = TProbe.Has(SeededBug.SplitIgnoresPins)
            ? growth.TryClaimIgnoringPins(chunk)
            : growth.TryClaim(chunk);
        if (!claimed) return growth.IsSplit(chunk);
        try
        {
            ChunkSplit<TProbe>.Run(growth, chunk);
        }
        catch
        {
            growth.GiveUp(chunk);
            throw;
        }

        if (growth.MarkSplit(chunk)) Finish(growth);
        return true;
    }

    // A while, or until the growth has come on or the caller can help it to.
    private void WaitForOthers()
    {
        IndexState state = _state;
        long split = state.Growth?.SplitCount ?? 0;
        _epochs.Drain();
        for (int i = 0; i < MostYields && IsGrowing; i++)
        {
            if (_state != state || (state.Growth?.SplitCount ?? 0) != split) return;
            if (state.Phase == IndexPhase.Resizing && state.Growth!.HasFreeChunk) return;
            TProbe.Point(ProbePoint.Wait);
            Thread.Yield();
        }
    }

    private void Finish(Growth growth)
    {
        TProbe.Point(ProbePoint.GrowthState);
        _budget.SetRetired(growth.Old.Bytes);
        _state = new IndexState(growth.New);
        _epochs.Bump(() =>
        {
            growth.Old.Dispose();
            _budget.SetRetired(0);
            Volatile.Write(ref _crowdedRaised, 0);
            Volatile.Write(ref _growing, 0);
            growth.OnFinished();
        });
    }

    // The pin itself keeps the growth from ending, so that the state still has it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void UnpinChunk(int chunk)
    {
        TProbe.Point(ProbePoint.GrowthPin);
        _state.Growth!.Unpin(chunk);
    }

    // By another bucket or, where the limit forbids that, by tags that share an entry from now on.
    private void Lengthen(HashBucket* first, HashBucket* last)
    {
        IndexTable table = _state.TableOf(first);
        HashBucket* fresh = HashBucket.IsFrozen(first) ? null : table.Pool.TryTake();
        if (fresh == null)
        {
            if (!HashBucket.IsFrozen(first) && TryExtend(table)) Extended?.Invoke();
            else if (FrozenChain<TProbe>.Freeze(first)) table.CountFrozen();
            return;
        }

        if (!BucketChain<TProbe>.TryLink(last, fresh))
        {
            table.Pool.GiveBack(fresh);
            return;
        }

        table.CountLinked(1);
        if (table.IsCrowded && !IsGrowing && Interlocked.Exchange(ref _crowdedRaised, 1) == 0) Crowded?.Invoke();
    }

    private bool TryExtend(IndexTable table)
    {
        lock (_budget.Gate) return _budget.TryExtend(_state, table);
    }
}
