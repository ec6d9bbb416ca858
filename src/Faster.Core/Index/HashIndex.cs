using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Index.Resizing;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Index;

/// <summary>
/// The hash index (paper 000 §3 and App. B): maps a hash to the newest record of its hash chain, latch-free, and grows
/// and shrinks while it is in use.
/// </summary>
/// <remarks>
/// <para>Invariants (docs/internals/hash-index.md leads to the proofs, also for a change of size):</para>
/// <list type="bullet">
/// <item>There is at most one non-tentative entry for each (bucket, tag).</item>
/// <item>An entry's slot stays valid until the epoch of the operation that found it ends.</item>
/// <item>Inserts and resizes keep to <see cref="ByteLimit"/>: a bucket chain that would need memory beyond it shares
/// tags from then on, that is, further tags use the entries that it has (<see cref="SharedTagChain"/>).</item>
/// </list>
/// <para>An operation: enter the epoch; <see cref="TryLocate"/>; <see cref="Find"/>; then <see cref="TryInsert"/>,
/// <see cref="TryReplace"/> or <see cref="TryRemove"/>; <see cref="Unpin(BucketRef)"/>; leave the epoch. Where
/// TryLocate returns false, the operation unpins what it had, leaves, calls <see cref="HelpResize"/>, and starts again:
/// nothing waits in an epoch. Algorithms do this through <see cref="HashEntries"/>.</para>
/// <para>Thread-safe, except for <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class HashIndex : ITierIndex, IDisposable
{
    private readonly IndexBudget _budget = new();
    private readonly Func<long> _begin;
    private readonly IndexPhases _phases;
    private volatile IndexState _state;
    private int _crowdedRaised;

    /// <summary>Reserves memory for an empty index.</summary>
    /// <param name="epochs">The epochs that its users enter.</param>
    /// <param name="bucketCount">The number of buckets of seven entries, 1 or more.</param>
    /// <param name="begin">
    /// The log's begin address: an entry that leads below it gives its slot to another tag. Null: 0.
    /// </param>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public HashIndex(EpochTable epochs, long bucketCount, Func<long>? begin = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bucketCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bucketCount, HashBits.MaxBucketCount);
        _phases = new IndexPhases(this, epochs, _budget);
        _begin = begin ?? (static () => 0);
        _state = new IndexState(new IndexTable(bucketCount));
    }

    /// <summary>
    /// Called when there are many overflow buckets, at most once until the next resize. Runs within the epoch of the
    /// insert that noticed: it must return at once, and must not throw.
    /// </summary>
    public Action? Crowded { get; set; }

    /// <summary>
    /// Called when memory for overflow buckets has been reserved; within an epoch, like <see cref="Crowded"/>.
    /// </summary>
    public Action? Extended { get; set; }

    /// <summary>
    /// Called by sessions when they have deleted many records, so that the index may have become too large; within an
    /// epoch, like <see cref="Crowded"/>.
    /// </summary>
    public Action? Thinned { get; set; }

    /// <summary>The maximum memory in bytes, including both tables while the index is resized.</summary>
    public long ByteLimit
    {
        get => _budget.Limit;
        set => _budget.Limit = value;
    }

    /// <summary>The number of buckets without overflow buckets; while the index is resized, of the new table.</summary>
    public long BucketCount => _state.Newest.BucketCount;

    /// <summary>The number of linked overflow buckets; while the index is resized, of both tables.</summary>
    public long OverflowBuckets => _state.Sum(static table => table.OverflowBuckets);

    /// <summary>The reserved memory in bytes; of both tables until the old one has been freed.</summary>
    public long Bytes => _budget.Bytes(_state);

    /// <summary>The number of chains with shared tags; while the index is resized, of both tables.</summary>
    public long SharedTagBuckets => _state.Sum(static table => table.SharedTagBuckets);

    /// <summary>Whether so many chains overflow that the index should grow.</summary>
    public bool IsCrowded => _state.Newest.IsCrowded;

    /// <summary>
    /// Held by a resize, a checkpoint, the trimming of chains, and a commit that records the index's size.
    /// </summary>
    public SemaphoreSlim Exclusion { get; } = new(1, 1);

    /// <summary>The tables and the phase. Each end of the stable phase is followed by a bump of the epoch.</summary>
    public IndexState State => _state;

    /// <summary>Whether a resize is in progress, until the old table has been freed.</summary>
    public bool IsResizing => _phases.IsResizing;

    /// <inheritdoc cref="IndexPhases.MaxBuckets"/>
    public long MaxBuckets => _phases.MaxBuckets;

    /// <summary>The bucket of a hash, under the caller's epoch.</summary>
    /// <returns>False: a resize is in progress, and the caller must leave its epoch before it retries.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLocate(ulong hash, out BucketRef bucket)
    {
        Probe.Point(ProbePoint.GrowthState);
        IndexState state = _state;
        if (state.Phase != IndexPhase.Stable)
        {
            // A separate local, so that the hit path's own stays in registers.
            bool located = TryLocateSlowly(hash, out BucketRef found);
            bucket = found;
            return located;
        }

        bucket.Bucket = state.Buckets + HashBits.BucketOf(hash, state.BucketCount);
        bucket.Pin = -1;
        return true;
    }

    /// <summary>Releases the pin of <see cref="TryLocate"/>: once, before the operation's epoch is left.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Unpin(BucketRef bucket)
    {
        if (bucket.Pin >= 0) Unpin(bucket.Pin);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Unpin(int pin) => _phases.Unpin(pin);

    /// <inheritdoc/>
    public Outcome FindChain(ulong hash, out long address)
    {
        address = 0;
        var entries = new HashEntries(this);
        Outcome outcome = entries.Locate(hash, out EntryRef entry);
        if (outcome != Outcome.Ok) return outcome;
        outcome = entries.Find(ref entry);
        if (outcome == Outcome.Ok) address = entry.Address;
        entries.Unpin(entry);
        return outcome;
    }

    /// <summary>Prefetches a hash's bucket; in any phase, inside or outside an epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prefetch(ulong hash)
    {
        if (!Sse.IsSupported) return;
        IndexState state = _state;
        Sse.Prefetch0(state.Buckets + HashBits.BucketOf(hash, state.BucketCount));
    }

    /// <summary>
    /// The slot of a tag's non-tentative entry, or of the entry whose tag it shares in a chain with shared tags, and
    /// its word as read once; null when there is none.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong* Find(HashBucket* bucket, uint tag, out ulong word) => BucketChain.Find(bucket, tag, out word);

    /// <summary>The chain address in an entry's word: negative when it belongs to the read cache.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long AddressOf(ulong word) => EntryWord.AddressOf(word);

    /// <summary>
    /// Inserts an entry in two phases: tentative, then final when there is no other of its tag (§3.2).
    /// </summary>
    /// <param name="bucket">The result of <see cref="TryLocate"/>.</param>
    /// <param name="tag">The hash's tag.</param>
    /// <param name="address">The address of a record that has been written, not 0.</param>
    /// <returns>
    /// False when there is, or was, another entry for the tag, or the chain has begun to share tags; the caller retries
    /// from <see cref="Find"/>.
    /// </returns>
    /// <exception cref="LimitExceededException">The system refuses memory for an overflow bucket.</exception>
    public bool TryInsert(HashBucket* bucket, uint tag, long address)
    {
        ulong entry = EntryWord.Of(tag, address);
        while (BucketChain.Find(bucket, tag, out _) == null)
        {
            ulong* slot = BucketChain.FindEmpty(bucket, out HashBucket* last);
            if (slot == null)
            {
                Lengthen(bucket, last);
                continue;
            }

            bool sharesTags = HashBucket.SharesTags(bucket);
            Probe.Point(ProbePoint.IndexTentative);
            if (Probe.On && Probe.Has(SeededBug.InsertWithoutTentative))
                return Interlocked.CompareExchange(ref *slot, entry, 0) == 0;
            if (Interlocked.CompareExchange(ref *slot, entry | EntryWord.Tentative, 0) == 0)
                return BucketChain.TryFinalize(bucket, slot, entry, sharesTags);
        }

        return false;
    }

    /// <summary>Replaces the address of an entry, which keeps its tag.</summary>
    /// <param name="slot">The result of <see cref="Find"/>.</param>
    /// <param name="expected">The word that the entry must still have.</param>
    /// <param name="newAddress">The chain address of a record that has been written, not 0.</param>
    /// <returns>False: the entry has changed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryReplace(ulong* slot, ulong expected, long newAddress)
    {
        Probe.Point(ProbePoint.IndexReplace);
        ulong word = EntryWord.WithAddress(expected, newAddress);
        return Interlocked.CompareExchange(ref *slot, word, expected) == expected;
    }

    /// <summary>Removes an entry whose records are all dead: its slot is then empty.</summary>
    /// <remarks>
    /// Also correct in a chain with shared tags, but that chain's slots are not filled again while it has entries: code
    /// that need not remove an entry there should not.
    /// </remarks>
    /// <param name="slot">The result of <see cref="Find"/>.</param>
    /// <param name="expected">The word that the entry must still have.</param>
    /// <returns>False: the entry has changed.</returns>
    public static bool TryRemove(ulong* slot, ulong expected)
    {
        Probe.Point(ProbePoint.IndexReplace);
        return Interlocked.CompareExchange(ref *slot, 0, expected) == expected;
    }

    /// <summary>
    /// Starts to double or to halve the index; operations and <see cref="DriveResize"/> do the work. Does not wait.
    /// </summary>
    /// <param name="kind">Which of the two.</param>
    /// <param name="chains">Splits and joins the hash chains.</param>
    /// <param name="onFinished">Called once, as an epoch action, when the old table has been freed.</param>
    /// <returns>
    /// False when a resize is in progress, or <see cref="ByteLimit"/> forbids it; or when the index should be halved
    /// and has an odd number of buckets, or chains with shared tags.
    /// </returns>
    /// <exception cref="LimitExceededException">The system refuses memory for the new table.</exception>
    public bool TryStart(ResizeKind kind, IChainResizer chains, Action onFinished) =>
        _phases.TryStart(kind, chains, onFinished);

    /// <summary>
    /// Converts a chunk if one is free; otherwise waits briefly for the threads that do. Called outside any epoch.
    /// </summary>
    /// <param name="slot">The caller's slot, which is entered while a chunk is converted.</param>
    /// <param name="lacksSpace">Whether the record allocator must free space first: wait for that.</param>
    /// <returns>Whether a chunk was converted.</returns>
    public bool HelpResize(EpochSlot* slot, out bool lacksSpace) => _phases.Help(slot, out lacksSpace);

    /// <inheritdoc/>
    public void ReadEntry(ulong hash, Action<Exception?> onRead, ReadQueue? own) =>
        throw new UnreachableException("The entries of a hash index are in memory.");

    /// <summary>The final entries of one bucket chain, under the caller's epoch.</summary>
    /// <param name="state">The index's state as the caller has read it in this epoch: stable.</param>
    /// <param name="number">The number of the chain's first bucket.</param>
    public static BucketEntries EntriesOf(IndexState state, long number) => new(state.Buckets + number);

    /// <summary>The entries of the bucket of a located one.</summary>
    /// <param name="located">The located entry.</param>
    /// <param name="bucketCount">The number of buckets of the bucket's table.</param>
    public BucketEntries EntriesOf(scoped in EntryRef located, out long bucketCount)
    {
        var home = (HashBucket*)located.Home;
        bucketCount = State.TableOf(home).BucketCount;
        return new(home);
    }

    /// <summary>
    /// Returns when no resize is in progress, so that a resize ends even without operations. For a thread of the store
    /// that may wait; called outside any epoch.
    /// </summary>
    /// <param name="slot">The caller's slot, which is entered while a chunk is converted.</param>
    /// <param name="waitForSpace">Waits for space in the log; returns whether to continue.</param>
    /// <returns>Whether the resize has ended.</returns>
    public bool DriveResize(EpochSlot* slot, Func<bool> waitForSpace)
    {
        var idle = default(SpinWait);
        while (IsResizing)
        {
            if (HelpResize(slot, out bool lacksSpace)) idle.Reset();
            else if (!lacksSpace) idle.SpinOnce();
            else if (!waitForSpace()) return false;
        }

        return true;
    }

    /// <summary>The value of <see cref="Bytes"/> during a resize that starts now.</summary>
    /// <remarks>The caller is the one that may start resizes: the table must stay.</remarks>
    public long BytesTo(ResizeKind kind)
    {
        IndexState state = _state;
        return _budget.BytesTo(kind, state, Resize.SpareBytes(kind, state.Table));
    }

    /// <inheritdoc cref="IndexPhases.WatchBucketCount"/>
    public void WatchBucketCount() => _phases.WatchBucketCount();

    /// <summary>Publishes the next phase; for <see cref="IndexPhases"/> alone.</summary>
    public void Publish(IndexState state) => _state = state;

    /// <summary>Allows the next call of <see cref="Crowded"/>.</summary>
    public void RearmCrowded() => Volatile.Write(ref _crowdedRaised, 0);

    /// <summary>Frees the memory. No thread may use the index any more.</summary>
    public void Dispose()
    {
        IndexState state = _state;
        state.Table.Dispose();
        state.Resize?.New.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryLocateSlowly(ulong hash, out BucketRef bucket) => _phases.TryLocate(hash, out bucket);

    // Makes space for an entry: where others lead to truncated records, by another bucket or, where the limit forbids
    // that, by sharing tags from now on.
    private void Lengthen(HashBucket* first, HashBucket* last)
    {
        if (BucketChain.TryEmptyDead(first, _begin())) return;
        IndexTable table = _state.TableOf(first);
        HashBucket* fresh = HashBucket.SharesTags(first) ? null : table.Pool.TryTake();
        if (fresh == null)
        {
            if (ExtendOrShareTags(table, first)) Extended?.Invoke();
            else if (!(Probe.On && Probe.Has(SeededBug.SharingKeepsTentative))) SharedTagChain.ClearTentative(first);
            return;
        }

        if (!BucketChain.TryLink(last, fresh))
        {
            table.Pool.GiveBack(fresh);
            return;
        }

        table.CountLinked(1);
        if (table.IsCrowded && !IsResizing && Interlocked.Exchange(ref _crowdedRaised, 1) == 0) Crowded?.Invoke();
    }

    // Atomic with respect to the start of a halving, which requires that no chain shares tags.
    private bool ExtendOrShareTags(IndexTable table, HashBucket* first)
    {
        Probe.Point(ProbePoint.IndexShareTags);
        lock (_budget.Gate)
        {
            IndexState state = _state;
            bool mayExceed = state.IsJoined(table) && !(Probe.On && Probe.Has(SeededBug.JoinIgnoresSharing));
            if (!HashBucket.SharesTags(first) && _budget.TryExtend(state, table, mayExceed)) return true;
            if (SharedTagChain.ShareTags(first)) table.CountSharedTags();
            return false;
        }
    }
}
