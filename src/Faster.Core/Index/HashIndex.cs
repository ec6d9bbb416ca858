using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Index;

/// <summary>
/// The hash index (paper 000 §3 and App. B): from a hash to the newest record of a chain, latch-free, growing and
/// shrinking while it is in use.
/// </summary>
/// <remarks>
/// <para>Invariants: at most one non-tentative entry for each (bucket, tag); an entry's slot stays good until the epoch
/// of the operation that found it ends. Why they hold, and through a change of size: docs/INDEX.md.</para>
/// <para>Inserts and resizes keep to <see cref="ByteLimit"/>: a chain that would need memory beyond it is frozen, and
/// further tags share the entries that it has (<see cref="FrozenChain{TProbe}"/>).</para>
/// <para>An operation goes: enter the epoch; <see cref="TryLocate"/>; <see cref="Find"/>; then <see cref="TryInsert"/>,
/// <see cref="TryReplace"/> or <see cref="TryRemove"/>; <see cref="Unpin"/>; leave the epoch. Where TryLocate says no,
/// it unpins what it had, leaves, calls <see cref="HelpResize"/>, and begins again: nothing waits in an epoch.</para>
/// <para>Thread-safe, but for <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class HashIndex<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly IndexBudget _budget = new();
    private readonly IndexPhases<TProbe> _phases;
    private volatile IndexState _state;
    private int _crowdedRaised;

    /// <summary>Reserves an empty index.</summary>
    /// <param name="epochs">The epochs that its users enter.</param>
    /// <param name="bucketCount">The number of buckets of seven entries, 1 or more.</param>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public HashIndex(EpochTable<TProbe> epochs, long bucketCount)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bucketCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bucketCount, HashBits.MaxBucketCount);
        _phases = new IndexPhases<TProbe>(this, epochs, _budget);
        _state = new IndexState(new IndexTable(bucketCount));
    }

    /// <summary>
    /// Called when overflow buckets get many, at most once until the next resize. Runs within the epoch of the insert
    /// that noticed: it must return at once, and must not throw.
    /// </summary>
    public Action? Crowded { get; set; }

    /// <summary>
    /// Called when memory for overflow buckets has been reserved. Like <see cref="Crowded"/>, within an epoch.
    /// </summary>
    public Action? Extended { get; set; }

    /// <summary>
    /// Called by sessions when they have deleted many records, so that the index may have become too large. As
    /// <see cref="Crowded"/>, within an epoch.
    /// </summary>
    public Action? Thinned { get; set; }

    /// <summary>
    /// The most memory that may be reserved, in bytes, two tables while the index is resized included.
    /// </summary>
    public long ByteLimit
    {
        get => _budget.Limit;
        set => _budget.Limit = value;
    }

    /// <summary>How many buckets, overflow buckets not counted; while the index is resized, in the new table.</summary>
    public long BucketCount => _state.Newest.BucketCount;

    /// <summary>How many overflow buckets are linked; while the index is resized, in both tables.</summary>
    public long OverflowBuckets => _state.Sum(static table => table.OverflowBuckets);

    /// <summary>The memory reserved, in bytes, until an old table has been freed that of both tables.</summary>
    public long Bytes => _budget.Bytes(_state);

    /// <summary>How many chains are frozen; while the index is resized, in both tables.</summary>
    public long FrozenBuckets => _state.Sum(static table => table.FrozenBuckets);

    /// <summary>Whether so many chains overflow that the index should grow.</summary>
    public bool IsCrowded => _state.Newest.IsCrowded;

    /// <summary>Held by a resize, a checkpoint, and a commit that records its size.</summary>
    public SemaphoreSlim Exclusion { get; } = new(1, 1);

    /// <summary>The tables and the phase. Each end of the stable phase is followed by a bump of the epoch.</summary>
    public IndexState State => _state;

    /// <summary>Whether a resize is under way; until the old table has been freed.</summary>
    public bool IsResizing => _phases.IsResizing;

    /// <inheritdoc cref="IndexPhases{TProbe}.MostBuckets"/>
    public long MostBuckets => _phases.MostBuckets;

    /// <summary>The bucket of a hash, under the caller's epoch.</summary>
    /// <returns>False: a resize is in the way, and the caller must leave its epoch before it tries again.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLocate(ulong hash, out BucketRef bucket)
    {
        TProbe.Point(ProbePoint.GrowthState);
        IndexState state = _state;
        if (state.Phase != IndexPhase.Stable)
        {
            // By a local of its own, so that the one of the hit path stays in registers.
            bool located = TryLocateSlowly(hash, out BucketRef found);
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
    /// Begins to double the index or to halve it; operations and <see cref="DriveResize"/> do the work. Does not wait.
    /// </summary>
    /// <param name="kind">Which of the two.</param>
    /// <param name="chains">Parts and joins the chains of records.</param>
    /// <param name="onFinished">Called once, as an epoch action, when the old table has been freed.</param>
    /// <returns>
    /// False: a resize is under way, or <see cref="ByteLimit"/> forbids it; or the index is to be halved and has an odd
    /// number of buckets, or frozen chains.
    /// </returns>
    /// <exception cref="LimitExceededException">The system refuses memory for the new table.</exception>
    public bool TryStart(ResizeKind kind, IChainResizer chains, Action onFinished) =>
        _phases.TryStart(kind, chains, onFinished);

    /// <summary>
    /// Converts a chunk if one is free, and otherwise waits a little for those who do. Called outside any epoch.
    /// </summary>
    /// <param name="slot">The caller's slot, which is entered while a chunk is converted.</param>
    /// <param name="lacksRoom">Whether the allocator of the records must make room first: wait for that.</param>
    /// <returns>Whether a chunk was converted.</returns>
    public bool HelpResize(EpochSlot* slot, out bool lacksRoom) => _phases.Help(slot, out lacksRoom);

    /// <summary>
    /// Stays until no resize is under way, so that one ends even if nobody operates. For a thread of the store that may
    /// wait; called outside any epoch.
    /// </summary>
    /// <param name="slot">The caller's slot, which is entered while a chunk is converted.</param>
    /// <param name="waitForRoom">Waits for room in the log; says whether to go on.</param>
    /// <returns>Whether the resize has ended.</returns>
    public bool DriveResize(EpochSlot* slot, Func<bool> waitForRoom)
    {
        var idle = default(SpinWait);
        while (IsResizing)
        {
            if (HelpResize(slot, out bool lacksRoom)) idle.Reset();
            else if (!lacksRoom) idle.SpinOnce();
            else if (!waitForRoom()) return false;
        }

        return true;
    }

    /// <summary>What <see cref="Bytes"/> would come to during a resize that begins now.</summary>
    /// <remarks>Called by who may begin one: the table must stay.</remarks>
    public long BytesTo(ResizeKind kind)
    {
        IndexState state = _state;
        return _budget.BytesTo(kind, state, Resize.SpareBytes(kind, state.Table));
    }

    /// <inheritdoc cref="IndexPhases{TProbe}.WatchBucketCount"/>
    public void WatchBucketCount() => _phases.WatchBucketCount();

    /// <summary>The next phase; for <see cref="IndexPhases{TProbe}"/> alone.</summary>
    public void Publish(IndexState state) => _state = state;

    /// <summary><see cref="Crowded"/> may be called again.</summary>
    public void RearmCrowded() => Volatile.Write(ref _crowdedRaised, 0);

    /// <summary>Frees the memory. Nobody may use the index any more.</summary>
    public void Dispose()
    {
        IndexState state = _state;
        state.Table.Dispose();
        state.Resize?.New.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryLocateSlowly(ulong hash, out BucketRef bucket) => _phases.TryLocate(hash, out bucket);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void UnpinChunk(int chunk) => _phases.Unpin(chunk);

    // By another bucket or, where the limit forbids that, by tags that share an entry from now on.
    private void Lengthen(HashBucket* first, HashBucket* last)
    {
        IndexTable table = _state.TableOf(first);
        HashBucket* fresh = HashBucket.IsFrozen(first) ? null : table.Pool.TryTake();
        if (fresh == null)
        {
            if (ExtendOrFreeze(table, first)) Extended?.Invoke();
            else if (!TProbe.Has(SeededBug.FreezeKeepsTentative)) FrozenChain<TProbe>.ClearTentative(first);
            return;
        }

        if (!BucketChain<TProbe>.TryLink(last, fresh))
        {
            table.Pool.GiveBack(fresh);
            return;
        }

        table.CountLinked(1);
        if (table.IsCrowded && !IsResizing && Interlocked.Exchange(ref _crowdedRaised, 1) == 0) Crowded?.Invoke();
    }

    // One step with respect to who begins to halve the index, which must not have frozen chains.
    private bool ExtendOrFreeze(IndexTable table, HashBucket* first)
    {
        TProbe.Point(ProbePoint.IndexFreeze);
        lock (_budget.Gate)
        {
            IndexState state = _state;
            bool mayExceed = state.IsMerged(table) && !TProbe.Has(SeededBug.MergeIgnoresFrozen);
            if (!HashBucket.IsFrozen(first) && _budget.TryExtend(state, table, mayExceed)) return true;
            if (FrozenChain<TProbe>.Freeze(first)) table.CountFrozen();
            return false;
        }
    }
}
