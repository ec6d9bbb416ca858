using System.Buffers;
using Faster.Chains;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.OperationLogs;
using Faster.Probes;
using Faster.Threads;

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
/// further record. If there is no space for one, the operation fails.</item>
/// <item>Of a stripe's records, one is found after a crash only with all before it.</item>
/// <item>It never waits: what it lacks ends the attempt. Only what says that a change was not installed waits, for the
/// owner of a log or a sync: neither needs the epoch that is held meanwhile.</item>
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
    private int _fullSince = -1; // how often space had been freed when there was none
    private readonly ValueScratch _scratch = new();

    /// <summary>The store's journal.</summary>
    public Journal Journal => journal;

    /// <summary>Whether the attempt is one of an operation that is journaled.</summary>
    public bool IsHeld => _stripe != NotHeld;

    /// <summary>The number of the last operation.</summary>
    public long Serial => _serial;

    /// <summary>The bytes that copies of values have taken.</summary>
    public int ScratchBytes => _scratch.Bytes;

    /// <summary>Releases memory that the copy of a large value has taken.</summary>
    public void Trim() => _scratch.Trim();

    /// <summary>Begins an attempt: takes the lock of the key's stripe.</summary>
    /// <param name="hash">The hash of the key.</param>
    /// <param name="session">The session whose operation it is.</param>
    /// <param name="serial">The operation's number.</param>
    /// <param name="isInUnit">Whether it is part of a unit.</param>
    /// <param name="mayUseReserve">Whether a commit waits for it, which frees space.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/>: another thread has the lock;
    /// <see cref="Outcome.LogsFull"/>: there was no space lately, so that the attempt would use up space in the log of
    /// records for nothing.
    /// </returns>
    public Outcome TryBegin(ulong hash, JournalSession session, long serial, bool isInUnit, bool mayUseReserve)
    {
        if (_fullSince == journal.Frees && !mayUseReserve)
        {
            journal.RequestSpace();
            return Outcome.LogsFull;
        }

        int stripe = StripeLocks.Of(hash);
        if (!journal.Stripes.TryLock(stripe)) return Outcome.Retry;
        (_stripe, _session, _serial, _first, _last) = (stripe, session, serial, 0, 0);
        (_isInUnit, _mayUseReserve) = (isInUnit, mayUseReserve);
        return Outcome.Ok;
    }

    /// <summary>Sets the version of what the attempts publish.</summary>
    public void SetVersion(long version) => _version = version;

    /// <summary>
    /// Ends an attempt. One that was carried out and has changed nothing leaves its number, if its session is
    /// continued: the number is not lost then.
    /// </summary>
    /// <param name="outcome">How the attempt ended.</param>
    /// <returns>The same; or, if the number could not be left, what the operation must wait for.</returns>
    /// <exception cref="LimitExceededException">
    /// The logs have no space for saying that the attempt did not carry out what it has published.
    /// </exception>
    public Outcome End(Outcome outcome)
    {
        if (!IsHeld) return outcome;
        bool isDone = outcome <= Outcome.NotFound;
        if (isDone && _last == 0 && _session!.Name is not null)
        {
            Outcome left = Publish(LogRecordKind.Void, default, default, RecordExpiry.Never);
            if (left != Outcome.Ok) outcome = left;
        }

        bool isKnown = isDone || _last == 0 || TryCancel();
        Release();
        return isKnown ? outcome : throw new LimitExceededException(
            "The operation logs have no space to say that a published change was not carried out: whether it is after "
            + $"a crash is not known. Open the store with a larger {nameof(LogStoreOptions)}."
            + $"{nameof(LogStoreOptions.Expert)}.OperationLogSize.");
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
        if (reserved == Outcome.Ok) _ = reservation.Publish();
        _session = null;
        return reserved;
    }

    /// <summary>Ends an attempt that threw.</summary>
    public void Abandon()
    {
        if (!IsHeld) return;
        if (_last != 0) _ = TryCancel();
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
        // What the attempt has published and could not link counts beside a delta, and not behind a whole value.
        bool isAlone = kind != LogRecordKind.Delta || _last == 0 || TryCancel();
        if (!isAlone) return Outcome.LogsFull;
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
    public ValueSlot Copy(in ChainPosition at, int valueSize) =>
        ValueLayout.At(_scratch.Copy(at.Value, valueSize), valueSize);

    private void Finish(LogReservation reservation)
    {
        journal.Stripes.SetPlace(_stripe, reservation.Publish());
        if (_isInUnit) _session!.CountInUnit(_serial);
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
        int frees = journal.Frees;
        LogPlace behind = IsHeld ? journal.Stripes.PlaceOf(_stripe) : default;
        switch (journal.Logs.TryReserve(ref _favorite, shape.Size, _mayUseReserve, out reservation, behind))
        {
            case LogSpace.Full:
                _fullSince = frees;
                journal.RequestSpace();
                return Outcome.LogsFull;
            case LogSpace.Contended:
                return Outcome.LogsBusy;
        }

        if (IsHeld)
        {
            shape.Counter = _last = journal.Stripes.Next(_stripe);
            if (_first == 0) _first = _last;
        }
        else shape.Counter = _session.RecordsOf(_serial);

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

    // Says that what was published was not installed. Without it a recovery might carry it out; nothing that others
    // have built upon: whatever is done to the key later has a higher number.
    private bool TryCancel()
    {
        if (Probe.On && Probe.Has(SeededBug.CancelForgotten)) return true;
        long* which = stackalloc long[] { _stripe, _first };
        var shape = new LogRecordShape
        {
            Kind = LogRecordKind.Cancel, Version = _version, Counter = _last, ValueBytes = 2 * sizeof(long),
        };
        LogPlace behind = journal.Stripes.PlaceOf(_stripe);
        var spin = new SpinWait(); // the lock must not be released before
        for (var clock = new WaitClock(WaitClock.StallLimit); !clock.IsOver;)
        {
            LogSpace space;
            LogReservation reservation;
            try
            {
                space = journal.Logs.TryReserve(
                    ref _favorite, shape.Size, mayUseReserve: true, out reservation, behind);
            }
            catch (StorageException)
            {
                return true; // nothing becomes durable any more, as the next attempt says
            }

            if (space == LogSpace.Full) return false;
            if (space == LogSpace.Taken)
            {
                LogRecord record = LogRecord.Write(reservation.Pointer, shape);
                new ReadOnlySpan<byte>(which, 2 * sizeof(long)).CopyTo(record.ValueBytes);
                journal.Stripes.SetPlace(_stripe, reservation.Publish());
                (_first, _last) = (0, 0);
                return true;
            }

            if (!(Probe.On && Probe.Wait(null))) spin.SpinOnce();
        }

        return false;
    }

    private LimitExceededException TooLarge(long bytes) => new(
        $"The operation's record would take {bytes:N0} bytes of an operation log; {journal.Logs.LargestRecord:N0} is "
        + "the most, a quarter of a log. Store a smaller value, or open the store with a larger "
        + $"{nameof(LogStoreOptions)}.{nameof(LogStoreOptions.Expert)}.OperationLogSize.");
}
