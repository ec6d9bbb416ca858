using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// The search of an attempt for its key's value: in the mutable region, in the read cache, in the rest of memory, on
/// disk, in the tier below, and in fragments (paper 000 §5–6, App. D; 003 §5.3). Each step finds the value, or says
/// what is lacked, or where the search goes on; what an operation makes of it is the operation's.
/// </summary>
/// <remarks>
/// <para>The chain is walked once. Where a step ends, the next one goes on: the records passed are of other keys, and
/// the chain behind a word of the entry does not change. (In memory only, records are spliced out of it; all of these
/// are mutable, so the first step sees all of them.)</para>
/// <para>What has been read from disk may be old. A read takes it as of the time when its walk began; an update takes
/// it only if the chain on disk still begins where the walk began: it is linked by a swap from the word of the entry
/// that led there.</para>
/// <para><b>The tier below</b> (docs/internals/tiers.md). Records there are never updated in place, so a value that was
/// found stays what it is. A record leaves the tier above only when Begin rises there, after its copy below was linked
/// and the epoch has passed. So as long as Begin is what it was when the key was found absent above, and the key still
/// is, the tier below says what its value is: this is the counter of truncations of 003 §5.4. A read needs no such
/// check: what it finds below was the key's value at some time since its search above. That it finds nothing says that
/// the key was absent only if the search below began in an attempt that has found it absent above, by all of its chain:
/// records below are dropped for newer ones above.</para>
/// <para>Not thread-safe: it belongs to one attempt, under its session's epoch.</para>
/// </remarks>
internal unsafe ref partial struct KeySearch<TKey, TMode, TEntries, TOperation>
    where TKey : struct, IKey, allows ref struct
    where TMode : struct, ICommitMode
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IOperation
{
    public Attempt Attempt;
    public TKey Key;
    public ulong Hash;
    public ref TOperation Operation;

    /// <summary>What has been read for the operation, or null.</summary>
    public ChainReadResult? Disk;

    /// <summary>Where the chain begins, and the record that <see cref="FindMutable"/> has latched.</summary>
    public ChainPosition At;

    /// <summary>The key's newest record in memory, which other threads may be updating.</summary>
    public byte* Record;

    /// <summary>The record's header, as read once.</summary>
    public ulong Header;

    /// <summary>The record's address, or the one at which the chain leaves memory.</summary>
    public long Address;

    /// <summary>The value that was found where no thread changes it.</summary>
    public FoundValue Found;

    /// <summary>
    /// Whether what was read from disk is of an earlier time: its walk began at another address than
    /// <see cref="Address"/>, and the key may have a newer record by now.
    /// </summary>
    public bool IsOld;

    private EntryRef _located;

    /// <summary>
    /// Prepares a search where it lies, uncleared: <see cref="Begin"/> sets what the steps find. The parameters are
    /// those of an attempt.
    /// </summary>
    /// <remarks>Not a constructor: what that makes would be cleared apart, and copied.</remarks>
    /// <inheritdoc cref="IAlgorithm{TOperation}.TryUnderEpoch"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Prepare(
        Attempt attempt, TKey key, ulong hash, [UnscopedRef] ref TOperation operation, ChainReadResult? disk)
    {
        Attempt = attempt;
        Key = key;
        Hash = hash;
        Operation = ref operation;
        Disk = disk;
    }

    /// <summary>Finds what holds the entry of the hash; the attempt holds its pin until it ends.</summary>
    public Outcome Locate() => Attempt.Locate<TEntries>(Hash, out _located);

    /// <summary>Begins a search that may link a record, anew after each race that was lost.</summary>
    /// <inheritdoc cref="Begin"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome BeginUpdate()
    {
        // Field by field: a new position would be cleared apart, and copied.
        At.Record = null;
        (At.Chain, At.Header, At.Expiry, At.IsDead) = (0, 0, RecordExpiry.Never, false);
        return Begin();
    }

    /// <summary>Begins at the entry.</summary>
    /// <returns><see cref="Outcome.NotFound"/>: the hash has no entry.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Begin()
    {
        At.Entry = _located;
        IsOld = false;
        Found.Clear();
        Outcome found = Attempt.Entries<TEntries>().Find(ref At.Entry);
        At.Rest = Address = At.Entry.Address;
        return found;
    }

    /// <summary>Begins an update: finds the key's newest record in the mutable region, and latches it.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: found and latched. <see cref="Outcome.NotFound"/>: there is none; the search goes on
    /// by <see cref="FindInMemory"/>. <see cref="Outcome.Retry"/>: another thread holds the latch, or is replacing the
    /// record. <see cref="Outcome.CprShift"/>: it belongs to the next version. <see cref="Outcome.Expired"/>: it has
    /// expired. <see cref="Outcome.EntryOnDisk"/>: the entry must be read.
    /// </returns>
    public Outcome FindMutable()
    {
        Attempt.Clock.BeginSearch();
        Outcome found = BeginUpdate();
        if (found != Outcome.Ok) return found;
        RecordAllocator log = Attempt.Log;
        long address = At.Chain = Attempt.Cache.Behind(At.Entry.Address);
        long from = TMode.CopiesOld ? Attempt.Version.KeptFrom(Attempt.MutableFrom) : Attempt.MutableFrom;
        byte* record = log.Find(Key, Hash, from, ref address, out ulong header);
        At.Rest = address;
        if (record == null) return Outcome.NotFound;
        if (TMode.StopsAtNext && Attempt.Version.MustShift(address, header)) return Outcome.CprShift;
        if (TMode.CopiesOld && Attempt.Version.MustCopy(address, header)) return Outcome.NotFound;
        if (!Attempt.TryLatch(record, out header)) return Outcome.Retry;
        At.Header = header;
        if ((header & RecordHeader.Sealed) != 0)
        {
            Attempt.Unlatch(record, header);
            // A sealed tombstone is a deletion whose entry was changed by another thread before it could be removed.
            At.Rest = At.Chain; // where chains are spliced, another record may be in its place
            return At.IsTombstone ? Outcome.NotFound : Outcome.Retry;
        }

        At.Record = record;
        At.Address = address;
        At.Value = RecordExpiry.Value(record, header, Key.SlotSize, out At.Expiry);
        if (At.Expiry == RecordExpiry.Never || At.IsTombstone) return Outcome.Ok;
        Outcome life = Attempt.Clock.Judge(At.Expiry);
        At.IsDead = life == Outcome.NotFound;
        if (life == Outcome.Expired) Attempt.Unlatch(record, header);
        return life == Outcome.Expired ? life : Outcome.Ok;
    }

    /// <summary>Finds a copy in the read cache, or the newest record in what is left of the chain in memory.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: a copy, in <see cref="Found"/>; otherwise a record, maybe a tombstone or a delta, that
    /// other threads may be updating (<see cref="TakeRecord"/>). The others as for <see cref="FindInLog"/>.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome FindInMemory()
    {
        if (At.IsCached)
        {
            long behind = At.Entry.Address;
            byte* copy = Attempt.Cache.Find(Key, ref behind);
            if (At.Rest < 0) At.Rest = behind;
            if (copy != null)
            {
                Address = At.Rest;
                Take(copy, RecordHeader.Read(copy));
                Found.IsCached = true;
                return Outcome.Ok;
            }
        }

        Outcome found = FindInLog(At.Rest);
        At.Rest = Address;
        return found;
    }

    /// <summary>Finds the newest record in a part of the chain that is in the log's memory.</summary>
    /// <param name="address">The first address of the part.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: a record. <see cref="Outcome.OnDisk"/>: the chain leaves memory at
    /// <see cref="Address"/>. <see cref="Outcome.Below"/>: this tier has no record of the key.
    /// <see cref="Outcome.CprShift"/>: the record belongs to the next version.
    /// </returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome FindInLog(long address)
    {
        RecordAllocator log = Attempt.Log;
        byte* record = log.Find(Key, Hash, log.HeadAddress, ref address, out ulong header);
        Record = record;
        (Header, Address) = (header, address);
        if (record != null)
        {
            bool shifts = TMode.StopsAtNext && Attempt.Version.MustShift(address, header);
            return shifts ? Outcome.CprShift : Outcome.Ok;
        }

        Probe.Point(ProbePoint.RegionMarker);
        return address < log.BeginAddress ? Outcome.Below : Outcome.OnDisk;
    }

    /// <summary>Takes the value of <see cref="Record"/>, which no thread changes.</summary>
    public void TakeRecord()
    {
        Take(Record, Header);
        Found.Address = Address;
    }

    /// <summary>Takes the value of the record that <see cref="FindMutable"/> has latched.</summary>
    public void TakeLatched()
    {
        Take(At.Record, At.Header);
        Found.Address = At.Address;
    }

    /// <summary>Finds what a walk on disk has found, from where the chain leaves memory.</summary>
    /// <param name="mayLag">Whether what was so when the walk began will do, whatever was linked since.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: a whole value. <see cref="Outcome.NotFound"/>: none, by a tombstone or by the end of
    /// the chain. Either may have deltas in front. <see cref="Outcome.OnDisk"/>: the walk must be made.
    /// <see cref="Outcome.Below"/>: there is no record of the key at all, and a tier below.
    /// </returns>
    public Outcome FindOnDisk(bool mayLag)
    {
        if (Disk is not { ChainStart: not 0 } disk || !(mayLag || disk.ChainStart == Address)) return LackDisk();
        IsOld = disk.ChainStart != Address;
        if (Attempt.Below is not null && disk.IsAbsent) return Outcome.Below;
        Attempt.Cache.OnMiss(disk);
        Found.Take(disk);
        return disk.Found ? Outcome.Ok : Outcome.NotFound;
    }

    /// <summary>Ends the attempt: it lacks the chain on disk, from where that leaves memory.</summary>
    public readonly Outcome LackDisk()
    {
        Attempt.Wanted = Address;
        return Outcome.OnDisk;
    }

    /// <summary>
    /// Finds the key's record in the tier below, if there is one. The attempt has read the entry of its own tier, and
    /// found no record there.
    /// </summary>
    /// <param name="mayLag">Whether a value that has been replaced since it was read will do.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.NotFound"/>: the key has no record, or was deleted; or what the
    /// attempt lacks.
    /// </returns>
    public Outcome FindBelow(bool mayLag)
    {
        Found.Clear();
        Found.IsBelow = true;
        if (Attempt.Below is not { } below) return Outcome.NotFound;
        Probe.Point(ProbePoint.RegionMarker);
        ChainReadResult? read = Disk?.Below is { ChainStart: not 0 } walked ? walked : null;
        bool isCurrent = read is not null && read.BeginAbove == Attempt.Log.BeginAddress;
        if (read is not null && (mayLag || isCurrent)) return TakeBelow(read, isCurrent);

        Outcome located = below.Entries.FindChain(Hash, out long address);
        if (located > Outcome.NotFound) return Attempt.LackBelow(located);
        if (located == Outcome.NotFound) return located;
        RecordAllocator log = below.Log;
        byte* record = log.Find(Key, Hash, log.HeadAddress, ref address, out ulong header);
        if (record == null)
        {
            if (address < log.BeginAddress) return Outcome.NotFound;

            // A chain on disk that still begins where the walk began has got nothing newer of the key.
            return read is not null && read.ChainStart == address
                ? TakeBelow(read, isCurrent: true)
                : Attempt.LackBelow(Outcome.OnDisk, address);
        }

        (Found.Address, Found.IsCurrent) = (address, true);
        if ((header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;
        byte* value = RecordExpiry.Value(record, header, Key.SlotSize, out Found.Expiry);
        Found.Value = RecordValue<TOperation>.At(value, log.Layout);
        Found.IsLarge = RecordValue<TOperation>.IsLarge(header);
        return Outcome.Ok;
    }

    /// <summary>Takes what a walk in the tier below has found.</summary>
    /// <param name="read">The walk's result.</param>
    /// <param name="isCurrent">Whether it is what the tier has now.</param>
    /// <returns><see cref="Outcome.Ok"/>, or <see cref="Outcome.NotFound"/>.</returns>
    public Outcome TakeBelow(ChainReadResult read, bool isCurrent)
    {
        if (read.Deltas.Count != 0) throw DeltaValues.NoMerger(read.Address);
        Found.Take(read);
        (Found.IsBelow, Found.IsFromDisk, Found.IsCurrent) = (true, true, isCurrent);
        return read.Found ? Outcome.Ok : Outcome.NotFound;
    }

    /// <summary>Finds all of a value that lies in fragments; any other is whole.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Large"/>: it must be gathered. <see cref="Outcome.NotFound"/>: the
    /// log has been truncated above a part of it, which removes it; or <see cref="Outcome.Below"/>, if it has moved.
    /// </returns>
    public Outcome FindWhole()
    {
        if (TOperation.ValueSize != 0 || !Found.IsLarge) return Outcome.Ok;
        Outcome whole = Found.IsBelow
            ? LargeValues.FindBelow(Attempt, Disk, Found, out ReadOnlySpan<byte> value)
            : LargeValues.Find(Attempt, Disk, Found.Address, Found.Value, out value);
        Found.Value = value;
        return whole;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Take(byte* record, ulong header)
    {
        Found.Clear();
        Found.IsLarge = RecordValue<TOperation>.IsLarge(header);
        byte* slot = RecordExpiry.Value(record, header, Key.SlotSize, out Found.Expiry);
        Found.Value = Found.IsLarge ? LargeValues.HeadAt(slot) : RecordValue<TOperation>.At(slot);
    }
}
