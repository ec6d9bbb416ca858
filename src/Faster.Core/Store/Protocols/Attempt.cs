using System.Runtime.CompilerServices;
using Faster.Caching;
using Faster.Commits;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// What one attempt at an operation holds under its session's epoch: the pin on a chunk of a growing index, the latch
/// of a record, and room for a record that is not linked yet. Written once, used by every protocol.
/// </summary>
/// <remarks>
/// Invariant: between attempts it holds nothing. An attempt that ends without success ends by <see cref="GiveUp"/>, one
/// that throws by <see cref="Abandon"/>; both give back whatever is held. Not thread-safe: it belongs to a session.
/// <para>Latch protocol: an unlatched header is changed by compare-and-swap only; the owner of the latch writes the
/// header plainly when it lets go. Nobody waits for a latch inside an epoch: a few spins, then the attempt is given
/// up.</para>
/// </remarks>
internal sealed unsafe class Attempt<TProbe>
    where TProbe : struct, IProbe
{
    private const int DeletionsForEachLook = 1024;

    /// <summary>The records.</summary>
    public readonly RecordAllocator<TProbe> Log;

    /// <summary>The index, while nothing is out of the ordinary.</summary>
    public QuietIndex<TProbe> Quiet;

    private const ulong Busy = RecordHeader.Latch | RecordHeader.NotUpdated | RecordHeader.Expiring;

    private readonly HashIndex<TProbe> _index;
    private readonly FreeLists? _freeLists;
    private readonly CommitState<TProbe> _commits;
    private BucketRef _pinned = new() { Pin = -1 };
    private ulong _versionBits = RecordHeader.VersionBits(RecordHeader.FirstVersion);
    private byte _nextCode;
    private long _commitStart;       // no record of the next version lies below
    private ulong _busy = Busy;      // what keeps a record from being updated at once
    private BucketHold<TProbe> _bucket;
    private byte* _latched;
    private ulong _latchedHeader;
    private RecordRoom<TProbe> _room;
    private long _wanted;
    private int _deletions;

    /// <summary>Holds nothing.</summary>
    public Attempt(
        HashIndex<TProbe> index, RecordAllocator<TProbe> log, CommitState<TProbe> commits, FreeLists? freeLists,
        ReadCache<TProbe>? cache = null, MergeLedger? merges = null, StoreClock? clock = null,
        ExpirySweep<TProbe>? sweep = null)
    {
        Merges = merges ?? new MergeLedger();
        Clock = new SessionClock<TProbe>(clock ?? new StoreClock(TimeProvider.System));
        Cache = cache is null ? default : new CacheView<TProbe>(cache);
        (_index, Log, _commits, _freeLists) = (index, log, commits, freeLists);
        _bucket = new BucketHold<TProbe>(commits.Latches);
        Quiet = new QuietIndex<TProbe>(index);
        _room = new RecordRoom<TProbe>(log, freeLists, sweep);
    }

    /// <summary>The copies of records on disk.</summary>
    public CacheView<TProbe> Cache { get; }

    /// <summary>The time, and how long what is written lives.</summary>
    public SessionClock<TProbe> Clock { get; }

    /// <summary>What sessions tell each other of partial values.</summary>
    public MergeLedger Merges { get; }

    /// <summary>The partial values that the attempt has collected.</summary>
    public PartialValues Partials { get; } = new();

    /// <summary>Where the user's updaters make new values.</summary>
    public ValueBuffer Buffer { get; } = new();

    /// <summary>The address that an attempt which ended <see cref="Outcome.OnDisk"/> wants read.</summary>
    public long Wanted
    {
        get => _wanted;
        set => (_wanted, WantedFloor) = (value, Log.BeginAddress);
    }

    /// <summary>Where the walk from there ends, as the attempt's epoch has it: what lies below is nothing.</summary>
    public long WantedFloor { get; set; }

    /// <summary>What it knows and wants of values in chunks.</summary>
    public LargeNeeds<TProbe> Large { get; } = new();

    /// <summary>From here on records are updated in place.</summary>
    public long MutableFrom
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            TProbe.Point(ProbePoint.RegionMarker);
            return Log.ReadOnlyAddress;
        }
    }

    /// <summary>The address of the room that was taken for a record; 0: none.</summary>
    public long Reserved => _room.Address;

    /// <summary>Sets the version of the attempts that follow.</summary>
    /// <param name="version">The version that their records are stamped with.</param>
    /// <param name="committing">The version being committed, and 0 at rest.</param>
    /// <param name="exclusive">Whether operations of that version may still be under way.</param>
    /// <param name="mayCopy">Whether records may be superseded.</param>
    public void SetVersion(long version, long committing, bool exclusive, bool mayCopy)
    {
        _bucket.Set(exclusive ? committing : 0, mayCopy);
        _busy = Clock.MayExpire ? ulong.MaxValue : Busy;
        _versionBits = RecordHeader.VersionBits(version);
        if (committing == 0) return;
        _nextCode = RecordHeader.CodeOf(committing + 1);
        _commitStart = _commits.StartAddress;
    }

    /// <summary>A header with the attempt's version: the record is changed in that version.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Stamp(ulong header) => (header & ~RecordHeader.VersionMask) | _versionBits;

    /// <summary>Whether a record is of the next version, so that an operation before it must not go on.</summary>
    public bool MustShift(long address, ulong header) =>
        IsNext(address, header) && !TProbe.Has(SeededBug.CommitReadsNext);

    /// <summary>
    /// Whether a record is older than the attempt's version, so that it is copied instead of changed.
    /// </summary>
    public bool MustCopy(long address, ulong header) =>
        !IsNext(address, header) && !TProbe.Has(SeededBug.NextUpdatesOld);

    /// <summary>
    /// Takes the exclusive bucket latch, which the attempt holds to its end; needed to supersede a record of the
    /// version being committed.
    /// </summary>
    /// <returns>False when operations of that version are in the bucket, or the commit is just ending.</returns>
    public bool TryEnterExclusive(ulong hash) => _bucket.TryEnterExclusive(hash);

    /// <summary>
    /// As <see cref="TryEnterExclusive"/>, and lets go of what was found before: it is to be found again.
    /// </summary>
    public bool TryTakeBucket(ulong hash)
    {
        bool taken = TryEnterExclusive(hash);
        _ = GiveUp(Outcome.Latched);
        return taken;
    }

    /// <summary>Takes the shared bucket latch of an operation of the version being committed.</summary>
    /// <returns>False when an operation of the next version is changing the bucket.</returns>
    public bool TryEnterShared(ulong hash) => _bucket.TryEnterShared(hash);

    /// <summary>Gives the bucket latch back, if one is held. Called before the epoch is left.</summary>
    public void LeaveBucket() => _bucket.Leave();

    /// <summary>The index bucket of a hash.</summary>
    /// <returns>False when the index grows just there.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLocate(ulong hash, out HashBucket* bucket)
    {
        bool located = _index.TryLocate(hash, out BucketRef found);
        bucket = found.Bucket;
        if (found.Pin >= 0) _pinned = found;
        return located;
    }

    /// <summary>
    /// Gives the pin back, if there is one. Called at the end of every attempt, before the epoch is left.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Unpin()
    {
        if (_pinned.Pin >= 0) UnpinSlowly();
    }

    /// <summary>Whether a record of the mutable region has a key, is live and free, and can't expire.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MayUpdate(byte* record, bool partly, out ulong header)
    {
        header = RecordHeader.Read(record);
        return (header & (partly ? _busy : _busy | RecordHeader.Delta)) == 0;
    }

    /// <summary>Begins to update a record by the header for which <see cref="MayUpdate"/>.</summary>
    /// <returns>False: the header has changed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryBegin(byte* record, ulong header, bool latches)
    {
        if (!latches)
        {
            // Stamped before it is changed without the latch.
            return (header & RecordHeader.VersionMask) == _versionBits
                || RecordHeader.TryReplace(record, header, Stamp(header));
        }

        TProbe.Point(ProbePoint.RecordLatch);
        if (TProbe.Has(SeededBug.UpdateWithoutLatch)) return true;
        if (!RecordHeader.TryReplace(record, header, header | RecordHeader.Latch)) return false;
        _latched = record;
        _latchedHeader = header;
        return true;
    }

    /// <summary>Takes a record's latch.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header without the latch.</param>
    /// <returns>False when somebody holds on to it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLatch(byte* record, out ulong header)
    {
        ulong seen = RecordHeader.Read(record);
        TProbe.Point(ProbePoint.RecordLatch);
        header = seen;
        if (TProbe.Has(SeededBug.UpdateWithoutLatch)) return true;
        if ((seen & RecordHeader.Latch) != 0 || !RecordHeader.TryReplace(record, seen, seen | RecordHeader.Latch))
        {
            // By a local of its own, so that the header of the hit path stays in a register.
            if (!RecordLatch<TProbe>.TryTakeSlowly(record, out ulong later)) return false;
            header = seen = later;
        }

        _latched = record;
        _latchedHeader = seen;
        return true;
    }

    /// <summary>Gives the latch back.</summary>
    /// <param name="record">The latched record.</param>
    /// <param name="header">What its header is to be.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Unlatch(byte* record, ulong header)
    {
        TProbe.Point(ProbePoint.RecordLatch);
        if (TProbe.Has(SeededBug.UpdateWithoutLatch)) return;
        _latched = null;
        RecordHeader.Write(record, header);
    }

    /// <summary>Finds the key's newest record in the mutable region and latches it.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: found and latched. <see cref="Outcome.NotFound"/>: there is none; <paramref
    /// name="at"/> tells the chain. <see cref="Outcome.Retry"/>: somebody has the latch, or is just replacing the
    /// record. <see cref="Outcome.Shift"/>: it is of the next version. <see cref="Outcome.Expired"/>: it has died.
    /// </returns>
    public Outcome FindMutable<TKey, TMode>(scoped TKey key, ulong hash, HashBucket* bucket, out ChainPosition at)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        at = default;
        Clock.BeginSearch();
        at.Slot = HashIndex<TProbe>.Find(bucket, HashBits.TagOf(hash), out at.Word);
        if (at.Slot == null) return Outcome.NotFound;
        at.Chain = Cache.Behind(HashIndex<TProbe>.AddressOf(at.Word));
        long address = at.Chain;
        byte* record = Log.Find(key, hash, MutableFrom, ref address, out ulong header);
        if (record == null) return Outcome.NotFound;
        if (TMode.StopsAtNext && MustShift(address, header)) return Outcome.Shift;
        if (TMode.CopiesOld && MustCopy(address, header)) return Outcome.NotFound;
        if (!TryLatch(record, out at.Header)) return Outcome.Retry;
        if ((at.Header & RecordHeader.Sealed) != 0)
        {
            Unlatch(record, at.Header);
            // A sealed tombstone is a deletion whose entry got company before it could be removed.
            return at.IsTombstone ? Outcome.NotFound : Outcome.Retry;
        }

        at.Record = record;
        at.Address = address;
        at.Value = RecordExpiry.Value(record, at.Header, key.SlotSize, out at.Expiry);
        if (at.Expiry == RecordExpiry.Never || at.IsTombstone) return Outcome.Ok;
        Outcome life = Clock.Judge(at.Expiry);
        at.IsDead = life == Outcome.NotFound;
        if (life == Outcome.Expired) Unlatch(record, at.Header);
        return life == Outcome.Expired ? life : Outcome.Ok;
    }

    /// <summary>Takes room for a record and writes its key.</summary>
    /// <inheritdoc cref="RecordRoom{TProbe}.TryTake"/>
    public bool TryReserve<TKey>(
        scoped TKey key, int valueSize, int length, int capacity, long expiry = RecordExpiry.Never)
        where TKey : struct, IKey, allows ref struct =>
        _room.TryTake(key, _versionBits, valueSize, length, capacity, expiry);

    /// <inheritdoc cref="RecordRoom{TProbe}.TryKeep"/>
    public bool TryKeepRoom(long expiry) => _room.TryKeep(expiry);

    /// <summary>The value's bytes in the room taken.</summary>
    public Span<byte> ReservedValue(int valueSize) => _room.Value(valueSize);

    /// <summary>
    /// Links the record made in the room taken in front of its chain, or in the place of the latched record that
    /// <paramref name="at"/> found. The latch is given back either way.
    /// </summary>
    /// <remarks>A partial record (<see cref="RecordHeader.Delta"/>) takes nobody's place: what is behind it counts on.
    /// </remarks>
    /// <returns>False when the chain has changed: find again.</returns>
    public bool TryLinkReserved(HashBucket* bucket, uint tag, in ChainPosition at, ulong flags = 0)
    {
        long made = _room.Address;
        byte* record = Log.Pointer(made);
        bool splices = Log.Splices && at.Record != null;
        long previous = splices ? RecordHeader.Previous(at.Header) : at.Chain;
        if (previous >= made && !Log.Splices)
        {
            // The chain has got a record behind the room that was taken: addresses fall along a chain, so take new
            // room.
            Discard();
            if (at.Record != null) Unlatch(at.Record, at.Header);
            return false;
        }

        ulong header = _room.Validate(previous, _versionBits | flags);
        TProbe.Point(ProbePoint.RecordLink);
        bool linked = splices ? ChainSplicer<TProbe>.TryReplace(Log, at, made)
            : at.Slot == null ? _index.TryInsert(bucket, tag, made)
            : at.IsCached && TProbe.Has(SeededBug.WriteKeepsCached) ? Cache.LinkBehind(at.Word, made)
            : HashIndex<TProbe>.TryReplace(at.Slot, at.Word, made);
        if (linked)
        {
            _room.Leave();
            if ((flags & RecordHeader.Latch) != 0)
            {
                _latched = record;
                _latchedHeader = header & ~RecordHeader.Latch;
            }

            Cache.OnAppend(at.Chain);
        }
        else _room.Invalidate(_versionBits);
        if (at.Record == null) return linked;

        // Sealed: whoever has found the old record on a stale entry must not update it in place any more.
        Unlatch(at.Record, linked ? at.Header | RecordHeader.Sealed : at.Header);
        if (linked && splices) FreeSpliced(at);
        return linked;
    }

    /// <summary>
    /// Ends what has linked, under its latch, a value made of a record that expires: unless that one was alive at the
    /// time, for all to see, the new one becomes a tombstone.
    /// </summary>
    /// <param name="expiry">When the old record expires.</param>
    public Outcome Confirm(long expiry)
    {
        bool isAlive = TProbe.Has(SeededBug.CopyOutlivesRecord) || Clock.Judge(expiry) == Outcome.Ok;
        Unlatch(_latched, isAlive ? _latchedHeader : _latchedHeader | RecordHeader.Tombstone);
        return isAlive ? Outcome.Ok : Outcome.Expired;
    }

    /// <summary>Splices the latched record out of its chain (§4).</summary>
    /// <returns>False when its predecessor is just being changed; the latch is given back either way.</returns>
    public bool TrySpliceOut(in ChainPosition at)
    {
        bool spliced = ChainSplicer<TProbe>.TryReplace(Log, at, RecordHeader.Previous(at.Header));
        Unlatch(at.Record, spliced ? at.Header | RecordHeader.Sealed | RecordHeader.Tombstone : at.Header);
        if (spliced) FreeSpliced(at);
        return spliced;
    }

    /// <summary>Notes a deletion: now and then somebody looks whether the index has become empty.</summary>
    public void CountDeletion()
    {
        if (++_deletions % DeletionsForEachLook == 0) _index.Thinned?.Invoke();
    }

    /// <summary>Gives back the room taken, if any.</summary>
    public void Discard() => _room.GiveBack();

    /// <summary>Ends an attempt that did not succeed: gives back latch and room.</summary>
    public Outcome GiveUp(Outcome outcome)
    {
        if (_latched != null) Unlatch(_latched, _latchedHeader);
        Discard();
        return outcome;
    }

    /// <summary>Ends an attempt that threw: gives back latch, room and pin.</summary>
    public void Abandon()
    {
        GiveUp(Outcome.Retry);
        LeaveBucket();
        Unpin();
    }

    private bool IsNext(long address, ulong header) =>
        RecordHeader.VersionCode(header) == _nextCode && address >= _commitStart;

    private void FreeSpliced(in ChainPosition at) =>
        Log.Free(_freeLists, at.Address, (int)Log.Layout.RecordSize(at.Record), everLinked: true);

    private void UnpinSlowly()
    {
        BucketRef pinned = _pinned;
        _pinned.Pin = -1;
        _index.Unpin(pinned);
    }
}
