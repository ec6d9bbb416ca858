using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Expiry;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Sessions;
using Faster.Tiers;

namespace Faster.Operations;

/// <summary>
/// The store as a session sees it in a quiet epoch: what a hit reads besides the entry and the record. It is the
/// session's epoch slot, whose engine's bytes it lays out.
/// </summary>
/// <remarks>
/// <para>Invariants, in a quiet epoch:</para>
/// <list type="bullet">
/// <item>The table is the index's only one: a resize begins with a bump that ends the quiet epoch, and moves nothing
/// before that epoch is safe.</item>
/// <item>No record at or above <see cref="ReadFrom"/> leaves memory: it was Head when the epoch was noted, and a higher
/// Head takes effect in the action of a bump that ends the quiet epoch.</item>
/// <item>At or above <see cref="UpdateFrom"/> no record is taken for immutable, in the same way. A record between it
/// and a ReadOnly that has risen since lies in the fuzzy region, for all other sessions.</item>
/// <item>While a version is being committed, none of its records is updated: only those that lie at or above the
/// address where the next version begins, and have its code (<see cref="IsUpdatable(ulong, bool)"/>).</item>
/// <item>Below <see cref="SafeReadOnly"/> records are immutable.</item>
/// </list>
/// <para>docs/internals/quiet-epoch.md has the proofs. Not thread-safe: it belongs to a session, which writes it when
/// it notes an epoch as quiet. Valid as long as the slot.</para>
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = EpochSlot.Bytes)]
internal unsafe struct QuietView
{
    private const int Line = EpochSlot.EngineOffset, NextLine = Line + 64, HashLine = NextLine + 64;
    private const int LastLine = EpochSlot.Bytes - 64;
    private const byte GuardedReads = 1, AllReads = 2;

    /// <summary>The session's slot.</summary>
    [FieldOffset(0)] public EpochSlot Slot;

    /// <summary>The seed of the store's hash.</summary>
    [FieldOffset(Line)] public HashSeed Seed;

    /// <summary>Logical address 0 in memory, as <see cref="RegionMarkers.Base"/>.</summary>
    [FieldOffset(Line + 32)] public byte* Base;

    /// <summary>As <see cref="RegionMarkers.Mask"/>.</summary>
    [FieldOffset(Line + 40)] public long Mask;

    /// <summary>Below this address records are immutable for every session.</summary>
    [FieldOffset(NextLine + 16)] public long SafeReadOnly;

    /// <summary>The version that records are stamped with, in its place in a header.</summary>
    [FieldOffset(NextLine + 24)] public ulong VersionBits;

    /// <summary>The same as a code.</summary>
    [FieldOffset(NextLine + 24 + (RecordHeader.VersionShift / 8))] public byte VersionCode;

    /// <summary>From this address on records are read.</summary>
    [FieldOffset(Line + 48)] private long ReadFrom;
    [FieldOffset(Line + 56)] private ulong ReadSpan;

    /// <summary>From this address on records are updated in place.</summary>
    [FieldOffset(NextLine)] private long UpdateFrom;
    [FieldOffset(NextLine + 8)] private ulong UpdateSpan;

    // The header bits in which a record that is updated in place is as VersionBits: flags are 0, and while a commit is
    // under way the version is the session's own.
    [FieldOffset(NextLine + 32)] private Vector128<ulong> _fixedBits;

    /// <summary>
    /// The quiet epoch for reads that try records which do not expire first; 0 for a session that has a time to live.
    /// </summary>
    [FieldOffset(NextLine + 48)] public long ReadQuiet;

    /// <summary>
    /// The quiet epoch for updates that try records which do not expire first; 0 for a session that has a time to live,
    /// and where all updates take the latch.
    /// </summary>
    [FieldOffset(NextLine + 56)] public long UpdateQuiet;

    /// <summary>As <see cref="ReadQuiet"/>, for reads that run user code.</summary>
    [FieldOffset(HashLine + 24)] public long GuardedQuiet;

    /// <summary>The store's time, where records may expire; otherwise null.</summary>
    [FieldOffset(LastLine + KeysAhead.Bytes)] public RecentTime* Time;

    /// <summary>
    /// How long a record lives at least whose word the session updates without the latch, with a time to live.
    /// </summary>
    [FieldOffset(LastLine + KeysAhead.Bytes + 8)] private long UnlatchedFrom;

    /// <summary>How much longer it lives at most.</summary>
    [FieldOffset(LastLine + KeysAhead.Bytes + 16)] private ulong UnlatchedSpan;

    // What the hash of a word is computed with: as constants each would need a register of its own.
    [FieldOffset(HashLine)] private ulong _oddB;
    [FieldOffset(HashLine + 8)] private ulong _p0;
    [FieldOffset(HashLine + 16)] private ulong _p1;

    [FieldOffset(HashLine + 32)] private byte _withheld; // GuardedReads, AllReads, or 0

    // The same bytes as Base, Mask and VersionBits, for the lower half of a vector; nothing looks at the upper half.
    [FieldOffset(Line + 32)] private readonly Vector128<ulong> _base;
    [FieldOffset(Line + 40)] private readonly Vector128<ulong> _mask;
    [FieldOffset(NextLine + 24)] private readonly Vector128<ulong> _versionBits;

    [FieldOffset(Line + 16)] private HashBucket* _buckets;
    [FieldOffset(Line + 24)] private long _bucketCount;

    /// <summary>The view in a session's slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static QuietView* Of(EpochSlot* slot) => (QuietView*)slot;

    /// <summary>Whether the session's epoch was noted as quiet, and records may expire.</summary>
    public readonly bool HasExpiring
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Time != null;
    }

    /// <summary>Reads what does not change during the session.</summary>
    public void Begin(Tier tier)
    {
        Seed = tier.Seed;
        (_oddB, _p0, _p1) = (Seed.B | 1, KeyHash.P0, KeyHash.P1);
        Base = tier.Log.Pointer(0);
        Mask = tier.Log.AddressMask;
    }

    /// <summary>Reads the rest, under the session's epoch.</summary>
    /// <param name="tier">The tier that hits work on.</param>
    /// <param name="version">The version that the session works at.</param>
    /// <returns>False if the index is being resized: the epoch is not quiet.</returns>
    public bool TryNote(Tier tier, in AttemptVersion version)
    {
        const ulong Flags = RecordHeader.Latch | RecordHeader.NotUpdated | RecordHeader.Expiring | RecordHeader.Delta;
        if (!TryUse(tier.Index)) return false;
        Probe.Point(ProbePoint.RegionMarker);
        bool copiesOld = version.CopiesOld && !(Probe.On && Probe.Has(SeededBug.HitUpdatesOld));
        long updateFrom = tier.Log.ReadOnlyAddress;
        if (copiesOld) updateFrom = Math.Max(updateFrom, version.StartAddress);
        (ReadFrom, ReadSpan) = RangeFrom(tier.Log.HeadAddress);
        (UpdateFrom, UpdateSpan) = RangeFrom(updateFrom);
        (SafeReadOnly, VersionBits) = (tier.Log.SafeReadOnlyAddress, version.Bits);
        _fixedBits = RecordMatch.MaskOf(copiesOld ? Flags | RecordHeader.VersionMask : Flags);
        return true;
    }

    /// <summary>Notes the session's epoch as quiet, after <see cref="TryNote"/>.</summary>
    /// <param name="epoch">The epoch, or 0: it is not quiet.</param>
    /// <param name="clock">The session's clock.</param>
    public void Note(long epoch, SessionClock clock)
    {
        Slot.Quiet = epoch;
        ReadQuiet = clock.Own.NeverExpires ? epoch : 0;
        UpdateQuiet = clock.LatchesAll ? 0 : ReadQuiet;
        GuardedQuiet = ReadQuiet;
        Time = clock.MayExpire && epoch != 0 ? clock.Time : null;
        (UnlatchedFrom, UnlatchedSpan) = clock.Unlatched;
    }

    /// <summary>
    /// Leaves no hit but plain reads, and those only if they need not wait for what they read: updates are journaled,
    /// and what runs user code must refuse calls from there, which may wait for the disk.
    /// </summary>
    /// <param name="andReads">Whether reads wait.</param>
    public void KeepFromUpdates(bool andReads)
    {
        UpdateQuiet = GuardedQuiet = 0;
        Time = null;
        if (andReads) ReadQuiet = 0;
        _withheld = andReads ? AllReads : GuardedReads;
    }

    /// <summary>Whether a read must not be a hit of any kind, after <see cref="KeepFromUpdates"/>.</summary>
    /// <param name="runsUserCode">Whether it runs user code. A constant.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool WithholdsReads(bool runsUserCode) => _withheld >= (runsUserCode ? GuardedReads : AllReads);

    /// <summary>Reads the index's table, under the session's epoch.</summary>
    /// <returns>False if the index is being resized.</returns>
    public bool TryUse(HashIndex index)
    {
        Probe.Point(ProbePoint.GrowthState);
        IndexState state = index.State;
        _buckets = state.Buckets;
        _bucketCount = state.BucketCount;
        return state.Phase == IndexPhase.Stable;
    }

    /// <summary>The hash of a key: <see cref="IKey.Hash"/> of the store's seed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly ulong HashOf<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        // KeyHash.Of written out: an argument is loaded into a register first.
        if (!TKey.IsWord) return key.Hash(Seed);
        ulong a = key.Word ^ Seed.A, b = _oddB;
        ulong high = WideProduct.High(a, b) ^ _p0, low = (a * b) ^ _p1;
        return WideProduct.High(high, low) ^ (high * low);
    }

    /// <summary>Prefetches the first bucket of a hash's chain into the processor's caches.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(BucketOf(hash));
    }

    /// <summary>
    /// Finds the record that a hash's entry leads to, if the first bucket of its chain holds the entry and the record
    /// is in memory; for an update, if it is also updated in place.
    /// </summary>
    /// <param name="hash">The hash.</param>
    /// <param name="updates">Whether the caller updates the record. A constant.</param>
    /// <param name="record">The record.</param>
    /// <param name="address">Its address.</param>
    /// <returns>False if it is not found, which does not mean that the hash has no entry.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool TryFind(ulong hash, bool updates, out byte* record, out long address) =>
        TryFindIn(BucketOf(hash), hash, updates, out record, out address);

    /// <summary>
    /// As <see cref="TryFind"/>, in the second bucket of the chain. A method of its own, so that hits stay short.
    /// </summary>
    public readonly bool TryFindNext(ulong hash, bool updates, out byte* record, out long address)
    {
        record = null;
        address = 0;
        HashBucket* next = HashBucket.Next(BucketOf(hash));
        return next != null && TryFindIn(next, hash, updates, out record, out address);
    }

    /// <summary>The address of the record that <see cref="TryFind"/> finds for a read, or 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly long FindFirst(ulong hash) => TryFind(hash, updates: false, out _, out long address) ? address : 0;

    /// <summary>
    /// Finds a hash's entry in the first bucket of its chain, if it leads to a record of the log below an address.
    /// </summary>
    /// <param name="hash">The hash.</param>
    /// <param name="below">The address; no address is below 0.</param>
    /// <param name="entry">The entry.</param>
    /// <returns>False if it is not found, which does not mean that the hash has no entry.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool TryFindBelow(ulong hash, long below, out QuietEntry entry)
    {
        ulong tag = hash >> (64 - HashBits.TagBits), first = (tag << EntryWord.TagShift) + 1;
        bool isThere = BucketChain.TryReadFirst(BucketOf(hash), tag, out ulong* slot, out ulong word);
        entry = new QuietEntry(slot, word);

        // The comparison also shows that the entry has the tag, is final, and does not lead to the read cache.
        return isThere && word - first < (ulong)Math.Max(below, 1) - 1;
    }

    /// <summary>
    /// Whether a hash has no entry, so that no key with it has a record in this tier, in memory or on disk.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool IsAbsent(ulong hash) => BucketChain.Find(BucketOf(hash), HashBits.TagOf(hash), out _) == null;

    /// <summary>Whether a record that <see cref="FindFirst"/> has found may be updated in place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool MayUpdate(long address) => (ulong)(address - UpdateFrom) <= UpdateSpan;

    /// <summary>Whether a record that was found for an update has a key, and may be updated in place.</summary>
    /// <param name="record">The record.</param>
    /// <param name="key">The key.</param>
    /// <param name="partly">Whether its value may be a delta. A constant.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool IsUpdatable<TKey>(byte* record, scoped TKey key, bool partly)
        where TKey : struct, IKey, allows ref struct
    {
        // Not returned: the JIT would make a number of it before it branches. The mask comes last, so that the JIT
        // needs no register for it.
        if (partly || !TKey.IsWord || !Sse41.IsSupported)
            return RecordMatch.Is(record, key, VersionBits, FixedBits(partly));
        Vector128<ulong> wanted = _versionBits.WithElement(1, key.Word);
        if (!Sse41.TestZ(wanted ^ Vector128.Load((ulong*)record), _fixedBits)) return false;
        return true;
    }

    /// <summary>
    /// Whether a record that was found for an update has a key and an expiry, and is updated without its latch by this
    /// session.
    /// </summary>
    /// <param name="record">The record.</param>
    /// <param name="key">The key.</param>
    /// <param name="time">The store's time.</param>
    /// <param name="keeps">
    /// Whether the update leaves the expiry as it is if the session's records never expire. A constant.
    /// </param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool IsUpdatableUnlatched<TKey>(
        byte* record, scoped TKey key, RecentTime* time, bool keeps)
        where TKey : struct, IKey, allows ref struct
    {
        ulong header = VersionBits | RecordHeader.Expiring;
        if (TKey.IsWord && Sse41.IsSupported)
        {
            if (!Sse41.TestZ(RecordMatch.Difference(record, key, header), _fixedBits)) return false;
        }
        else if (!RecordMatch.Is(record, key, header, FixedBits(partly: false))) return false;

        // The time after the expiry: docs/internals/unlatched-expiry.md.
        Probe.Point(ProbePoint.RecordUpdate);
        long expiry = Volatile.Read(ref *(long*)(record + RecordHeader.Size + key.SlotSize));
        Probe.Point(ProbePoint.Clock);
        long left = expiry - Volatile.Read(ref time->Latest);
        if ((ulong)(left - UnlatchedFrom) <= UnlatchedSpan) return true;
        if (keeps && UpdateQuiet != 0 && left > StoreClock.Near) return true;
        return Probe.On && Probe.Has(SeededBug.UnlatchedKeepsExpiry);
    }

    /// <summary>Whether a record with a header may be updated in place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool IsUpdatable(ulong header, bool partly) =>
        ((header ^ VersionBits) & FixedBits(partly)) == 0;

    /// <summary>The record at an address in memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly byte* Pointer(long address) => Base + (address & Mask);

    // Two methods: the JIT counts what it inlines by length, branches that vanish included, and has a limit.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool TryFindIn(HashBucket* bucket, ulong hash, bool updates, out byte* record, out long address) =>
        Vector512.IsHardwareAccelerated
            ? TryFindAtOnce(bucket, hash, updates, out record, out address)
            : TryFindByTag(bucket, hash, updates, out record, out address);

    // Up to the record's address in vectors: a hit under way holds one general register instead of nine.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool TryFindAtOnce(
        HashBucket* bucket, ulong hash, bool updates, out byte* record, out long address)
    {
        record = null;
        address = 0;
        Probe.Point(ProbePoint.IndexScan);
        Vector512<ulong> words = HashBucket.EntriesOf(bucket);
        Vector512<ulong> least = (Vector512.Create(hash) >>> (64 - HashBits.TagBits)) << EntryWord.TagShift;
        least += Vector512.Create((ulong)(updates ? UpdateFrom : ReadFrom));

        // One comparison also shows that the entry has the tag and is final: otherwise the difference is too large.
        Vector512<ulong> fits = Vector512.LessThanOrEqual(
            words - least, Vector512.Create(updates ? UpdateSpan : ReadSpan));
        Vector128<ulong> first = Avx512F.Compress(Vector512<ulong>.Zero, fits, words).GetLower().GetLower();
        if (first == Vector128<ulong>.Zero) return false; // no entry is 0
        record = (byte*)((first & _mask) + _base).ToScalar();
        address = (long)(first.ToScalar() & EntryWord.AddressMask);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool TryFindByTag(HashBucket* bucket, ulong hash, bool updates, out byte* record, out long address)
    {
        record = null;
        address = 0;
        ulong tag = hash >> (64 - HashBits.TagBits), pattern = tag << EntryWord.TagShift;
        if (!BucketChain.TryReadFirst(bucket, tag, out ulong word)) return false;

        // As above.
        ulong from = pattern + (ulong)(updates ? UpdateFrom : ReadFrom);
        if (word - from > (updates ? UpdateSpan : ReadSpan)) return false;
        record = Pointer((long)word); // without the tag, which the mask does not cover
        address = (long)(word ^ pattern);
        return true;
    }

    // Not _buckets + …, which loads the pointer into a register of its own.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly HashBucket* BucketOf(ulong hash) =>
        (HashBucket*)((HashBits.BucketOf(hash, _bucketCount) * HashBucket.SizeInBytes) + (long)_buckets);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly ulong FixedBits(bool partly) =>
        partly ? _fixedBits.ToScalar() & ~RecordHeader.Delta : _fixedBits.ToScalar();

    // No record lies at the highest number: above all addresses, the range holds none.
    private static (long From, ulong Span) RangeFrom(long address) => (ulong)address <= EntryWord.AddressMask
        ? (address, EntryWord.AddressMask - (ulong)address)
        : (long.MaxValue, 0);
}
