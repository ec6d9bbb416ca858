using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.LogSessions.Pending;

/// <summary>
/// A walk over the part of a key's chain that is on disk, record by record, from the address that an attempt needs
/// (paper 000 §5.3).
/// </summary>
/// <remarks>
/// <para>It ends at its floor: Begin as the epoch saw it in which the need for the walk was found. If Begin rises past
/// the walk's position, the end of the walk proves nothing, because live records may have been copied to the tail
/// meanwhile: then no result is recorded, and the algorithm begins again (docs/internals/truncation.md).</para>
/// <para>One owner at a time: the device while a read is in flight, then the thread that polls it.</para>
/// </remarks>
internal abstract class ChainWalk : RecordRead
{
    private long _start;
    private long _floor;
    private int _length; // of the next read

    /// <summary>The key's hash.</summary>
    public ulong Hash { get; protected set; }

    /// <summary>The result of the walk.</summary>
    public ChainReadResult Disk { get; } = new();

    /// <summary>The bytes that it holds of the memory for pending operations, and the bytes that it requests.</summary>
    public (long Held, long Asked) Share { get; set; }

    /// <summary>The tier that the operation works on.</summary>
    protected Tier Tier { get; set; } = null!;

    /// <summary>The tier whose log is walked: the operation's own, or the one below.</summary>
    protected Tier Walked { get; set; } = null!;

    /// <summary>The result in that tier.</summary>
    protected ChainReadResult Target => Walked == Tier ? Disk : Disk.GetBelow();

    /// <summary>The captured key.</summary>
    protected CapturedKey Key { get; set; }

    /// <summary>The error of a failed read or write; null if there is none.</summary>
    protected Exception? Failure { get; set; }

    /// <summary>The length in bytes that a read begins with: that of a recently read record.</summary>
    protected int Guess => Tier.Reader!.Guess;

    private LogReader Reader => Walked.Reader!;

    /// <inheritdoc/>
    public sealed override unsafe void OnRead(byte* record, Exception? error)
    {
        try
        {
            Failure = error;
            if (error is null && Walk(record)) return;
            if (!Target.IsHeavy) ReturnShare();
        }
        catch (Exception e)
        {
            Failure = e;
        }

        // Records truncated meanwhile may be gone from the disk: the operation begins again from the index.
        if (Failure is not null && IsTruncated(Address)) Failure = null;
        OnWalked();
    }

    /// <summary>Sets where the next walk begins and ends, and forgets the result of the one before.</summary>
    /// <param name="attempt">The attempt that needs it.</param>
    protected void Aim(Attempt attempt)
    {
        Walked = attempt.WantedIn;
        (_start, _floor, Failure) = (attempt.Wanted, attempt.WantedFloor, null);
        (Address, _length) = (_start, Reader.Guess);
        ChainReadResult target = Target; // a walk in the tier below keeps the result that led there
        target.Clear();
        Disk.DropGathered();
        ReturnShare();
        target.Floor = _floor;
        (target.BeginAbove, target.TailBelow) = (attempt.BeginAbove, attempt.TailBelow);
        target.Newer.Add(attempt.Deltas);
    }

    /// <summary>Reads the next record: the first one, or the one whose share has come.</summary>
    /// <param name="own">The session's own queue; null for the shared one.</param>
    protected void ReadNext(ReadQueue? own) => Read(own ?? Reader.Shared, Address, _length);

    /// <summary>Clears the result of the walk, and returns its memory. Idempotent.</summary>
    protected void Release()
    {
        Disk.Clear();
        ReturnShare();
    }

    /// <summary>Called when the walk is over, or has failed.</summary>
    protected abstract void OnWalked();

    /// <summary>Takes a share of the memory for what is read, in place of the one that is held.</summary>
    /// <returns>False when the walk must wait; it continues by <see cref="ReadNext"/>.</returns>
    protected abstract bool TryTakeShare(long bytes);

    /// <summary>Makes the share larger, without waiting.</summary>
    protected abstract void GrowShare(long bytes);

    /// <summary>Returns the share, if one is held.</summary>
    protected abstract void ReturnShare();

    // A record that is not small is read once it has a share. A walk holds no share for the records that it has
    // passed.
    private void Read(ReadQueue reads, long address, int length)
    {
        int buffer = Reader.BufferFor(address, length);
        if (buffer > Share.Held)
        {
            (Address, _length) = (address, length);
            if (!TryTakeShare(buffer)) return;
        }

        reads.Read(this, address, length);
    }

    /// <summary>Examines the record that was read.</summary>
    /// <param name="record">The record.</param>
    /// <returns>Whether another read has started; false when the walk is over.</returns>
    private unsafe bool Walk(byte* record)
    {
        LogReader reader = Reader;
        long size = Examine(reader, record);
        if (size > Available) return ReadMore(size);
        reader.Learn(size);

        ulong header = RecordHeader.Read(record);
        if (ValueFragment.Is(header)) throw reader.Storage.NoRecord(Address, header);
        bool isOfKey = !ChainJoinRecord.Is(header) && Key.Matches(record + RecordHeader.Size);
        if (isOfKey && !reader.Storage.IsDiscarded(Address, header))
        {
            bool isDelta = (header & RecordHeader.Delta) != 0;
            if ((header & RecordHeader.Tombstone) != 0) Target.SetDeleted(_start, Address);
            else if (isDelta) AddDelta(reader.Layout.Value(record));
            else SetFound(reader.Layout.Value(record), header, reader.Layout.Expiry(record));
            if (!isDelta) return false;
        }

        long previous = ChainJoinRecord.Next(record, header, Hash);
        if (previous >= Address) throw reader.Storage.NoRecord(Address, header);
        if (previous < _floor || (Probe.On && Probe.Has(SeededBug.TruncatedIsAbsent) && IsTruncated(previous)))
        {
            Target.SetAbsent(_start);
            return false;
        }

        // Truncated since the walk began, and the key may have been copied to the tail: the walk proves nothing.
        if (IsTruncated(previous)) return false;
        Read(Reads, previous, reader.Guess);
        return true;
    }

    // A value that is not small stays in the buffer that it was read into.
    private void SetFound(ReadOnlySpan<byte> value, ulong header, long expiry)
    {
        BlockRead blocks = Blocks!;
        bool keeps = value.Length > LogReader.SmallBuffer && blocks.Lent.Length <= Share.Held
            && LogStoreCore.Of(Tier).PendingMemory.IsWithinLimit;
        Target.SetFound(_start, Address, value, (header & RecordHeader.Large) != 0, expiry, keeps ? blocks : null);
    }

    // The walk can't wait here for the memory of the copies: it holds a share that others wait for.
    private void AddDelta(ReadOnlySpan<byte> value)
    {
        int before = Target.Deltas.Bytes;
        Target.AddDelta(Address, value);
        int after = Target.Deltas.Bytes;
        if (after > before && after > LogReader.SmallBuffer) GrowShare(after - before);
    }

    private bool IsTruncated(long address) => address < Walked.Log.BeginAddress;

    private bool ReadMore(long size)
    {
        LogReader reader = Reader;
        long pageSize = reader.Storage.Geometry.PageBytes;
        long left = pageSize - (Address & (pageSize - 1));
        if (size > left) throw reader.Storage.NoRecord(Address, 0);
        Read(Reads, Address, (int)size);
        return true;
    }
}
