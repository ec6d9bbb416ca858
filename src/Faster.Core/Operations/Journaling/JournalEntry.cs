using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.OperationLogs;

namespace Faster.Operations.Journaling;

/// <summary>
/// An attempt's way into the journal: the lock of its key's stripe, and the records that it publishes there before it
/// installs the change (docs/internals/each-operation.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Between attempts it holds nothing.</item>
/// <item>What an attempt has published is installed before the stripe's lock is released, or said not to be by a
/// further record, if there is space for one. If there is none, the operation goes on, and is not acknowledged.</item>
/// <item>It never waits: what it lacks ends the attempt.</item>
/// </list>
/// <para>Not thread-safe: it belongs to an attempt, under its session's epoch.</para>
/// </remarks>
internal sealed unsafe class JournalEntry(Journal journal)
{
    private const int NotHeld = -1;

    private int _favorite; // all begin with the first log: few that append need few, and a sync writes fewer sectors
    private int _stripe = NotHeld;
    private JournalSession? _session;
    private long _serial, _version, _first, _last; // of the numbers that were published; 0: none
    private bool _isInUnit, _mayUseReserve;
    private byte[] _scratch = [];

    /// <summary>The store's journal.</summary>
    public Journal Journal => journal;

    /// <summary>Whether the attempt is one of an operation that is journaled.</summary>
    public bool IsHeld => _stripe != NotHeld;

    /// <summary>The number of the last operation.</summary>
    public long Serial => _serial;

    /// <summary>Begins an attempt: takes the lock of the key's stripe.</summary>
    /// <param name="hash">The hash of the key.</param>
    /// <param name="session">The session whose operation it is.</param>
    /// <param name="serial">The operation's number.</param>
    /// <param name="isInUnit">Whether it is part of a unit.</param>
    /// <param name="mayUseReserve">Whether a commit waits for it, which frees space.</param>
    /// <returns>False if another thread has the lock.</returns>
    public bool TryBegin(ulong hash, JournalSession session, long serial, bool isInUnit, bool mayUseReserve)
    {
        int stripe = StripeLocks.Of(hash);
        if (!journal.Stripes.TryLock(stripe)) return false;
        (_stripe, _session, _serial, _first, _last) = (stripe, session, serial, 0, 0);
        (_isInUnit, _mayUseReserve) = (isInUnit, mayUseReserve);
        return true;
    }

    /// <summary>Sets the version of what the attempts publish.</summary>
    public void SetVersion(long version) => _version = version;

    /// <summary>
    /// Ends an attempt. One that was carried out and has changed nothing leaves its number, if its session is
    /// continued: the number is not lost then.
    /// </summary>
    /// <param name="outcome">How the attempt ended.</param>
    /// <returns>The same; or, if the number could not be left, what the operation must wait for.</returns>
    public Outcome End(Outcome outcome)
    {
        if (!IsHeld) return outcome;
        bool isDone = outcome <= Outcome.NotFound;
        if (isDone && _last == 0 && _session!.Name is not null)
        {
            Outcome left = Publish(LogRecordKind.Void, default, default, RecordExpiry.Never);
            if (left != Outcome.Ok) outcome = left;
        }

        if (!isDone && _last != 0) Cancel();
        Release();
        return outcome;
    }

    /// <summary>Whether the last operation has published anything; says so once.</summary>
    public bool TakePublished()
    {
        bool has = _last != 0;
        _last = 0;
        return has;
    }

    /// <summary>Publishes that a unit is whole. Called by its session, outside every epoch.</summary>
    /// <returns>As <see cref="Publish"/>.</returns>
    public Outcome PublishUnitEnd(JournalSession session, long serial)
    {
        (_session, _serial, _isInUnit, _mayUseReserve) = (session, serial, true, true);
        Outcome reserved = Reserve(
            LogRecordKind.UnitEnd, default, 0, RecordExpiry.Never, out LogReservation reservation, out _);
        if (reserved == Outcome.Ok) reservation.Publish();
        _session = null;
        return reserved;
    }

    /// <summary>Ends an attempt that threw.</summary>
    public void Abandon()
    {
        if (!IsHeld) return;
        if (_last != 0) Cancel();
        Release();
    }

    /// <summary>Publishes a change of the attempt's key. It must be installed next.</summary>
    /// <param name="kind">What it is.</param>
    /// <param name="key">The key's slot.</param>
    /// <param name="value">The value's bytes.</param>
    /// <param name="expiry">The expiry, or <see cref="RecordExpiry.Never"/>.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.LogsBusy"/>, <see cref="Outcome.LogsFull"/>: nothing is published.
    /// </returns>
    /// <exception cref="LimitExceededException">The record would be larger than a quarter of a log.</exception>
    /// <exception cref="StorageException">The logs can't be written any more.</exception>
    public Outcome Publish(LogRecordKind kind, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long expiry)
    {
        Outcome reserved = Reserve(
            kind, key, value.Length, expiry, out LogReservation reservation, out LogRecord record);
        if (reserved != Outcome.Ok) return reserved;
        value.CopyTo(record.ValueBytes);
        Finish(reservation);
        return Outcome.Ok;
    }

    /// <summary>Publishes a value of any length, which lies in fragments.</summary>
    /// <inheritdoc cref="Publish"/>
    public Outcome PublishLarge(ReadOnlySpan<byte> key, ReadOnlySequence<byte> value, long expiry)
    {
        if (value.Length > journal.Logs.LargestRecord) throw TooLarge(value.Length);
        Outcome reserved = Reserve(
            LogRecordKind.Put, key, (int)value.Length, expiry, out LogReservation reservation, out LogRecord record);
        if (reserved != Outcome.Ok) return reserved;
        try
        {
            value.CopyTo(record.ValueBytes);
        }
        catch
        {
            reservation.Release(); // the memory is the user's
            throw;
        }

        Finish(reservation);
        return Outcome.Ok;
    }

    /// <summary>A copy of the value of the latched record, for an update that is published before it is seen.</summary>
    /// <param name="at">The record.</param>
    /// <param name="valueSize">The size of every value, or 0.</param>
    public ValueSlot Copy(in ChainPosition at, int valueSize)
    {
        int slot = valueSize != 0
            ? RecordLayout.AlignUp(valueSize)
            : ValueLayout.Prefix + ValueLayout.Capacity(at.Value);
        if (_scratch.Length < slot) _scratch = GC.AllocateUninitializedArray<byte>(slot, pinned: true);
        new ReadOnlySpan<byte>(at.Value, slot).CopyTo(_scratch);
        return ValueLayout.At((byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_scratch)), valueSize);
    }

    private void Finish(LogReservation reservation)
    {
        reservation.Publish();
        if (journal.ReadsAwait) journal.Stripes.SetTicket(_stripe, journal.Logs.TakeTicket());
    }

    private Outcome Reserve(
        LogRecordKind kind, ReadOnlySpan<byte> key, int valueBytes, long expiry, out LogReservation reservation,
        out LogRecord record)
    {
        reservation = default;
        record = default;
        if (journal.Logs.Failure is { } failure) throw journal.Poisoned(failure);
        bool isKnown = _session!.Name is not null || _isInUnit;
        var shape = new LogRecordShape
        {
            Kind = kind, Version = _version, KeyBytes = key.Length, ValueBytes = valueBytes, IsInUnit = _isInUnit,
            Expiry = expiry == RecordExpiry.Never ? null : expiry, Name = _session.Name,
            Session = isKnown ? new(_session.Number, _serial, _session.OldestOpen(_serial)) : null,
        };
        if (shape.Size > journal.Logs.LargestRecord) throw TooLarge(shape.Size);
        LogSpace space = journal.Logs.TryReserve(ref _favorite, shape.Size, _mayUseReserve, out reservation);
        if (space == LogSpace.Full) journal.RequestCommit();
        if (space != LogSpace.Taken) return space == LogSpace.Full ? Outcome.LogsFull : Outcome.LogsBusy;
        if (IsHeld)
        {
            shape.Counter = _last = journal.Stripes.Next(_stripe);
            if (_first == 0) _first = _last;
        }

        if (!_session.MustName(reservation.Log, _version)) shape.Name = null;
        record = LogRecord.Write(reservation.Pointer, shape);
        key.CopyTo(record.Key);
        return Outcome.Ok;
    }

    private void Release()
    {
        journal.Stripes.Unlock(_stripe);
        (_stripe, _session) = (NotHeld, null);
    }

    // Says that what was published was not installed. Without it a recovery might carry out an operation that has
    // failed, though none that others have built upon: whatever is done to the key later has a higher number.
    private void Cancel()
    {
        long* which = stackalloc long[] { _stripe, _first };
        var shape = new LogRecordShape
        {
            Kind = LogRecordKind.Cancel, Version = _version, Counter = _last, ValueBytes = 2 * sizeof(long),
        };
        (_first, _last) = (0, 0);
        LogSpace space = journal.Logs.TryReserve(
            ref _favorite, shape.Size, mayUseReserve: true, out LogReservation reservation);
        if (space != LogSpace.Taken) return;
        LogRecord record = LogRecord.Write(reservation.Pointer, shape);
        new ReadOnlySpan<byte>(which, 2 * sizeof(long)).CopyTo(record.ValueBytes);
        reservation.Publish();
    }

    private LimitExceededException TooLarge(long bytes) => new(
        $"The operation's record would take {bytes:N0} bytes of an operation log; {journal.Logs.LargestRecord:N0} is "
        + "the most, a quarter of a log. Store a smaller value, or open the store with a larger "
        + $"{nameof(LogStoreOptions)}.{nameof(LogStoreOptions.Expert)}.OperationLogSize.");
}
