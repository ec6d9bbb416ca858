using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Operations;

/// <summary>
/// One attempt at an operation, under its session's epoch: what it holds, each thing a type of its own, and the steps
/// that the algorithms have in common, which are to find a record and to link one.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Between attempts it holds nothing. An attempt that ends without success ends by <see cref="GiveUp"/>, one
/// that throws ends by <see cref="Abandon"/>; both release whatever is held.</item>
/// <item>It holds the latch of one record at most, except within <see cref="LinkReserved"/>, which has both the new
/// record and the one that it replaces latched for as long as no call can throw.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a session.</para>
/// <para>The holds are fields, because they are structs that change; so is what the hit path reads. The latch of a
/// record has no struct: the hit path would have to form the address of it.</para>
/// </remarks>
internal sealed unsafe class Attempt
{
    private const int DeletionsForEachLook = 1024;

    /// <summary>The log or the in-memory allocator that holds the tier's records.</summary>
    public readonly RecordAllocator Log;

    /// <summary>The version that it works at.</summary>
    public AttemptVersion Version = new();

    /// <summary>The pin on a part of an index that is being resized.</summary>
    public HeldPin Pin;

    /// <summary>The bucket latch of an operation during a commit. Released before the epoch is left.</summary>
    public HeldBucketLatch Bucket;

    /// <summary>Space for a record that is not linked yet.</summary>
    public RecordReservation Reservation;

    /// <inheritdoc cref="TailSpace"/>
    public TailSpace Space;

    private readonly ITierIndex _index;
    private byte* _latched;
    private ulong _latchedHeader;
    private long _wanted;
    private int _deletions;

    /// <summary>Creates an attempt in a tier that holds nothing.</summary>
    public Attempt(Tier tier, SessionClock clock, FreeLists? freeLists)
    {
        (Tier, Clock, FreeLists) = (WantedIn = tier, clock, freeLists);
        (_index, Log, Space) = (tier.Entries, tier.Log, new TailSpace(tier.Log));
        Merges = tier.Merges;
        Cache = tier.Cache is null ? default : new CacheView(tier.Cache);
        Pin = new HeldPin(_index);
        Bucket = new HeldBucketLatch(tier.Core.Commits.Latches);
        Reservation = new RecordReservation(Log, freeLists, tier.Sweep) { VersionBits = Version.Bits };
    }

    /// <summary>The tier that it searches and appends to.</summary>
    public Tier Tier { get; }

    /// <summary>The tier whose records are older, and count where this one has none; null if there is none.</summary>
    public Tier? Below => Tier.Below;

    /// <summary>The session's free lists; null unless the store is in memory only.</summary>
    public FreeLists? FreeLists { get; }

    /// <summary>The read cache as the session sees it.</summary>
    public CacheView Cache { get; }

    /// <summary>The session's time, and the time to live of what it writes.</summary>
    public SessionClock Clock { get; }

    /// <summary>The sessions' shared hints about chains with many deltas.</summary>
    public CollapseHints Merges { get; }

    /// <summary>The deltas that the attempt has collected.</summary>
    public DeltaValues Deltas { get; } = new();

    /// <summary>The buffer that the user's updaters write new values to.</summary>
    public ValueBuffer Buffer { get; } = new();

    /// <summary>The address that an attempt which ended with <see cref="Outcome.OnDisk"/> needs read.</summary>
    public long Wanted { get => _wanted; set => (_wanted, WantedFloor, WantedIn) = (value, Log.BeginAddress, Tier); }

    /// <summary>The way into the journal; null in a store whose operations are not durable each.</summary>
    public JournalEntry? Entry { get; init; }

    /// <summary>Whether the attempt must publish what it changes before it installs it.</summary>
    public bool IsJournaled => Entry is { IsHeld: true };

    /// <summary>The tier that what the attempt lacks belongs to: its own, or the one below.</summary>
    public Tier WantedIn { get; private set; }

    /// <summary>Where the walk from <see cref="Wanted"/> ends: Begin as the attempt's epoch saw it.</summary>
    public long WantedFloor { get; set; }

    /// <summary>The state for values in fragments: what is prepared, and what must be gathered.</summary>
    public LargeNeeds Large { get; } = new();

    /// <summary>ReadOnly: the address from which on records are updated in place.</summary>
    public long MutableFrom
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            Probe.Point(ProbePoint.RegionMarker);
            return Log.ReadOnlyAddress;
        }
    }

    /// <summary>Begin of the attempt's tier when the search went on in the tier below.</summary>
    public long BeginAbove { get; private set; }

    /// <summary>Of a read of deltas: the tail of the log of the tier below before it began to collect them.</summary>
    public long TailBelow { get; set; }

    /// <summary>Ends a search in the tier below, which lacks what <paramref name="outcome"/> says.</summary>
    /// <param name="outcome">How the search ended.</param>
    /// <param name="address">The address to read from; 0 if the outcome is of the index.</param>
    public Outcome LackBelow(Outcome outcome, long address = 0)
    {
        WantedIn = Below!;
        BeginAbove = Log.BeginAddress;
        (_wanted, WantedFloor) = (address, WantedIn.Log.BeginAddress);
        return outcome;
    }

    /// <summary>Called before each attempt that may end without success.</summary>
    public void Begin() => WantedIn = Tier;

    /// <summary>Sets the version of subsequent attempts.</summary>
    /// <param name="version">The version that their records are stamped with.</param>
    /// <param name="committing">The version being committed; 0 at rest.</param>
    /// <param name="exclusive">Whether operations of that version may still be running.</param>
    /// <param name="mayCopy">Whether records may be superseded.</param>
    public void SetVersion(long version, long committing, bool exclusive, bool mayCopy)
    {
        Bucket.Set(exclusive ? committing : 0, mayCopy);
        Version.Set(version, committing, committing == 0 ? 0 : Log.NextVersionStart);
        Entry?.SetVersion(version);
        Reservation.VersionBits = Version.Bits;
    }

    /// <summary>
    /// Takes the exclusive bucket latch, and releases what the attempt has found, which must be searched again.
    /// </summary>
    /// <returns>False when operations of that version use the bucket, or the commit is about to end.</returns>
    public bool TryTakeBucket(ulong hash)
    {
        bool taken = Bucket.TryEnterExclusive(hash);
        _ = GiveUp(Outcome.BucketLatched);
        return taken;
    }

    /// <summary>
    /// Begins an update of a key's record on the hit path: takes its latch, or stamps it.
    /// </summary>
    /// <param name="attempt">The attempt; used only if the update needs the latch.</param>
    /// <param name="view">The session's view in its quiet epoch.</param>
    /// <param name="key">The key.</param>
    /// <param name="record">A record that <see cref="QuietView.TryFind"/> has found, for an update.</param>
    /// <param name="latches">Whether the update needs the latch.</param>
    /// <param name="partly">Whether the value may be a delta.</param>
    /// <param name="header">The header that the latch protects.</param>
    /// <returns>False, with nothing held: it is another key's, may not be updated in place, or has changed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryBegin<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, bool latches, bool partly,
        out ulong header)
        where TKey : struct, IKey, allows ref struct
    {
        header = 0;
        if (!latches)
        {
            if (!view->IsUpdatable(record, key, partly)) return false;
            RecordHeader.Stamp(record, view->VersionCode);
            return true;
        }

        header = RecordHeader.Read(record);
        if (!view->IsUpdatable(header, partly) || !key.Matches(record + RecordHeader.Size)) return false;
        if (!RecordLatch.TryTakeUnchanged(record, header)) return false;
        attempt.Own(record, header);
        return true;
    }

    /// <summary>Takes a record's latch, which the attempt then holds.</summary>
    /// <inheritdoc cref="RecordLatch.TryTake"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryLatch(byte* record, out ulong header)
    {
        if (!RecordLatch.TryTake(record, out header)) return false;
        Own(record, header);
        return true;
    }

    /// <summary>Releases the latch that the attempt holds, of a record that it has not updated.</summary>
    /// <inheritdoc cref="RecordLatch.Release"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Unlatch(byte* record, ulong header)
    {
        _latched = null;
        RecordLatch.Release(record, header);
    }

    /// <summary>Releases the latch that the attempt holds, of a record that it has updated.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">A header with the flags that it gets.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnlatchUpdated(byte* record, ulong header)
    {
        _latched = null;
        RecordLatch.ReleaseStamped(record, Version.Stamp(header));
    }

    /// <summary>The access to the entries of the attempt's tier.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TEntries Entries<TEntries>()
        where TEntries : struct, IEntryAccess<TEntries> => TEntries.Of(_index);

    /// <summary>Finds what holds the entry of a hash; holds its pin until the attempt ends.</summary>
    /// <inheritdoc cref="IEntryAccess{TSelf}.Locate"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Locate<TEntries>(ulong hash, out EntryRef entry)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        Outcome located = Entries<TEntries>().Locate(hash, out entry);
        Pin.Hold(entry);
        return located;
    }

    /// <summary>
    /// Links the reserved record in front of its chain, or in place of the latched record that <paramref name="at"/>
    /// found. The latch is released in either case.
    /// </summary>
    /// <remarks>A delta replaces no record: the ones behind it still count.</remarks>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/> when the chain has changed: search again; any other
    /// outcome ends the attempt.
    /// </returns>
    public Outcome LinkReserved<TEntries>(in ChainPosition at, ulong flags = 0)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        long made = Reservation.Address;
        byte* record = Log.Pointer(made);
        bool splices = Log.Splices && at.Record != null;
        long previous = splices ? RecordHeader.Previous(at.Header) : at.Chain;
        if (previous >= made && !Log.Splices)
        {
            // A record above the reserved space has been linked to the chain meanwhile. Addresses must fall along a
            // chain, so reserve new space.
            Reservation.GiveBack();
            if (at.Record != null) Unlatch(at.Record, at.Header);
            return Outcome.Retry;
        }

        if (IsJournaled && PublishReserved(flags) is var published && published != Outcome.Ok) return published;
        ulong header = Reservation.Validate(previous, flags);
        Probe.Point(ProbePoint.RecordLink);
        TEntries entries = Entries<TEntries>();
        Outcome outcome = splices ? ChainSplicer.Replace(entries, Log, at, made)
            : !at.Entry.Exists ? entries.Insert(at.Entry, made)
            : Probe.On && at.IsCached && Probe.Has(SeededBug.WriteKeepsCached)
                ? Cache.LinkBehind(at.Entry.Address, made)
            : entries.Replace(at.Entry, made);
        bool linked = outcome == Outcome.Ok;
        if (linked)
        {
            Reservation.Leave();
            Cache.OnAppend(at.Chain);
        }
        else Reservation.Invalidate();
        if (at.Record != null)
        {
            // Sealed: a thread that found the old record by a stale entry must not update it in place any more.
            Unlatch(at.Record, linked ? at.Header | RecordHeader.Sealed : at.Header);
            if (linked && splices) FreeSpliced(at);
        }

        // Last: the attempt remembers one latch, and from here on it is that of the new record.
        if (linked && (flags & RecordHeader.Latch) != 0) Own(record, header & ~RecordHeader.Latch);
        return outcome;
    }

    /// <summary>
    /// Completes a link under latch of a value that was made from a record that expires. If that record was not alive
    /// at the time that all sessions see, the new record becomes a tombstone.
    /// </summary>
    /// <param name="expiry">The old record's expiry.</param>
    public Outcome Confirm(long expiry)
    {
        bool isAlive = (Probe.On && Probe.Has(SeededBug.CopyOutlivesRecord)) || Clock.Judge(expiry) == Outcome.Ok;
        Unlatch(_latched, isAlive ? _latchedHeader : _latchedHeader | RecordHeader.Tombstone);
        return isAlive ? Outcome.Ok : Outcome.Expired;
    }

    /// <summary>Splices the latched record out of its chain (§4).</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/> when its predecessor is being changed, or why its entry
    /// could not be. The latch is released in either case.
    /// </returns>
    public Outcome SpliceOut<TEntries>(in ChainPosition at)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        Outcome outcome = ChainSplicer.Replace(Entries<TEntries>(), Log, at, RecordHeader.Previous(at.Header));
        bool spliced = outcome == Outcome.Ok;
        Unlatch(at.Record, spliced ? at.Header | RecordHeader.Sealed | RecordHeader.Tombstone : at.Header);
        if (spliced) FreeSpliced(at);
        return outcome;
    }

    /// <summary>
    /// Publishes the value that an update has made from a copy of the latched record's, then puts it there, and
    /// releases the latch.
    /// </summary>
    /// <param name="at">The record.</param>
    /// <param name="value">The value, in <see cref="JournalEntry.Copy"/>.</param>
    /// <param name="valueSize">The size of every value, or 0.</param>
    /// <param name="expiry">The record's expiry from now on.</param>
    /// <returns><see cref="Outcome.Ok"/>; any other outcome ends the attempt, and the latch is still held.</returns>
    public Outcome Install(in ChainPosition at, scoped ValueSlot value, int valueSize, long expiry)
    {
        if (Probe.On && Probe.Has(SeededBug.InstalledBeforePublished))
            _ = ValueLayout.At(at.Value, valueSize).TryReplace(value.Bytes);
        Outcome published = Entry!.Publish(LogRecordKind.Put, Log.Layout.KeySlot(at.Record), value.Bytes, expiry);
        if (published != Outcome.Ok) return published;
        Probe.Point(ProbePoint.RecordUpdate);
        _ = ValueLayout.At(at.Value, valueSize).TryReplace(value.Bytes);
        Probe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        UnlatchUpdated(at.Record, at.Header);
        Reservation.GiveBack();
        return Outcome.Ok;
    }

    /// <summary>Counts a deletion; every 1,024th checks whether the index has become sparse.</summary>
    public void CountDeletion()
    {
        if (++_deletions % DeletionsForEachLook == 0) Tier.Index.Thinned?.Invoke();
    }

    /// <summary>Ends an attempt that did not succeed: releases the latch and the reserved space.</summary>
    public Outcome GiveUp(Outcome outcome)
    {
        if (_latched != null) Unlatch(_latched, _latchedHeader);
        Reservation.GiveBack();
        return outcome;
    }

    /// <summary>Ends an attempt that threw: releases latches, reserved space and pin.</summary>
    public void Abandon()
    {
        GiveUp(Outcome.Retry);
        Entry?.Abandon();
        Bucket.Leave();
        Pin.Leave();
    }

    /// <summary>Makes the attempt hold a record's latch, which its caller has taken.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Own(byte* record, ulong header)
    {
        _latched = record;
        _latchedHeader = header;
    }

    private Outcome PublishReserved(ulong flags)
    {
        byte* record = Log.Pointer(Reservation.Address);
        RecordLayout layout = Log.Layout;
        ReadOnlySpan<byte> key = layout.KeySlot(record);
        long expiry = layout.Expiry(record);
        if ((flags & RecordHeader.Large) != 0) return Entry!.PublishLarge(key, Large.Prepared!.Value, expiry);
        LogRecordKind kind = (flags & RecordHeader.Tombstone) != 0 ? LogRecordKind.Remove
            : (flags & RecordHeader.Delta) != 0 ? LogRecordKind.Delta
            : LogRecordKind.Put;
        return Entry!.Publish(kind, key, kind == LogRecordKind.Remove ? default : layout.Value(record), expiry);
    }

    private void FreeSpliced(in ChainPosition at) =>
        Log.Free(FreeLists, at.Address, (int)Log.Layout.RecordSize(at.Record), everLinked: true);
}
