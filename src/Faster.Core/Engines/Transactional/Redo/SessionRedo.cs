using Faster.Commits;
using Faster.Contracts;
using Faster.Engines.Transactional.Capture;
using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Probes;
using Faster.Sessions;
using Faster.Tiers;

namespace Faster.Engines.Transactional.Redo;

/// <summary>
/// A session's way into the redo log: an attempt collects what it changes, reserves space when nothing else can fail,
/// and publishes the record under its locks, before it installs.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Nothing waits under a lock. That another thread owns the log ends within some hundred nanoseconds, unless it
/// was preempted: a moment is spun, then the attempt ends. An owner waits for nothing.</item>
/// <item>What takes a number and changes nothing leaves its number, if transactions wait until they are durable and the
/// session is continued: else it would end otherwise after a crash.</item>
/// </list>
/// <para>Not thread-safe: it belongs to one session, under its epoch.</para>
/// </remarks>
/// <param name="logs">The logs.</param>
/// <param name="identity">The session as the logs know it.</param>
/// <param name="version">What the session knows of the commit under way.</param>
/// <param name="serials">The numbers of its operations.</param>
internal sealed class SessionRedo(
    RedoLogs logs, JournalSession identity, SessionVersion version, SessionSerials serials)
{
    private const int MostSpins = 64;

    private readonly ValueBuffer _changes = new();
    private int _favorite;
    private LogRecordKind _kind;
    private int _fullSince = -1; // how often space had been freed when there was none
    private long _openUnit;      // the number of the session's unit that has published; 0: none
    private long _unitRecords;
    private bool _isPublished;   // since the last ticket

    /// <summary>What the store's sessions share.</summary>
    public RedoLogs Logs => logs;

    /// <summary>Whether a transaction ends for its caller when it is durable.</summary>
    public bool Waits => logs.Waits && logs.IsOn && serials.Unit == 0;

    /// <summary>Begins to collect what an attempt changes.</summary>
    public void Begin() => _changes.Clear();

    /// <summary>Adds that a key has a value.</summary>
    public void AddPut<TKey>(scoped TKey key, ReadOnlySpan<byte> value)
        where TKey : struct, IKey, allows ref struct => RedoChange.Append(_changes, key, value, removes: false);

    /// <summary>Adds that a key has no value.</summary>
    public void AddRemoval<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct => RedoChange.Append(_changes, key, default, removes: true);

    /// <summary>Reserves space for the record of the attempt, if it needs one. The caller must publish it.</summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>, <see cref="Outcome.LogsBusy"/>, or <see cref="Outcome.LogsFull"/>: leave the epoch,
    /// and wait for the commit that frees space.
    /// </returns>
    /// <exception cref="LimitExceededException">It is larger than a quarter of the log.</exception>
    /// <exception cref="StorageException">The log can't be written any more.</exception>
    public Outcome TryReserve(out LogReservation reservation)
    {
        reservation = default;
        bool isNumbered = logs.Waits && identity.Name is not null && serials.Unit == 0
            && !(Probe.On && Probe.Has(SeededBug.NumberNotLogged));
        _kind = _changes.Written.Length != 0 ? LogRecordKind.Transaction
            : isNumbered ? LogRecordKind.Void : default;
        return _kind == default || !logs.IsOn ? Outcome.Ok : TryReserveKind(out reservation);
    }

    /// <summary>Publishes the record for which space was reserved, if there is one.</summary>
    public void Publish(LogReservation reservation)
    {
        if (_kind == default || !logs.IsOn) return;
        if (serials.Unit != 0)
        {
            if (_openUnit == 0) (_openUnit, _unitRecords) = (logs.Units.Begin(), 0);
            _unitRecords++;
        }

        Write(reservation);
        _isPublished = true;
    }

    /// <summary>Reserves space for what was collected, and publishes it: for what has no locks.</summary>
    /// <inheritdoc cref="TryReserve"/>
    public Outcome TryPublish()
    {
        Outcome outcome = TryReserve(out LogReservation reservation);
        if (outcome == Outcome.Ok) Publish(reservation);
        return outcome;
    }

    /// <summary>Publishes that the session's unit is whole. Called outside every epoch.</summary>
    /// <inheritdoc cref="TryReserve"/>
    public Outcome TryPublishUnitEnd()
    {
        _changes.Clear();
        bool isNumbered = logs.Waits && identity.Name is not null;
        _kind = _openUnit != 0 ? LogRecordKind.UnitEnd : isNumbered ? LogRecordKind.Void : default;
        if (_kind == default || !logs.IsOn) return Outcome.Ok;
        Outcome outcome = TryReserveKind(out LogReservation reservation);
        if (outcome != Outcome.Ok) return outcome;
        Write(reservation);
        _isPublished = true;
        if (_openUnit != 0) logs.Units.End(_openUnit);
        _openUnit = 0;
        return Outcome.Ok;
    }

    /// <summary>
    /// Takes the ticket that what was done since the last one must wait for, or what it has found;
    /// <see cref="SharedLogs.NoTicket"/> if it is durable. Called outside every epoch.
    /// </summary>
    /// <param name="core">What the store's parts share.</param>
    /// <exception cref="StorageException">The log can't be synced any more.</exception>
    /// <exception cref="FasterException">A unit that is open does not end.</exception>
    public long TakeTicket(StoreCore core)
    {
        bool isPublished = _isPublished;
        _isPublished = false;
        bool awaitsUnits = logs.Units.IsAny && !(Probe.On && Probe.Has(SeededBug.OpenUnitNotAwaited));
        if (awaitsUnits) logs.WaitForUnits(core);
        else if (!isPublished && logs.Logs.IsAllDurable) return SharedLogs.NoTicket;
        return logs.TakeTicket();
    }

    private Outcome TryReserveKind(out LogReservation reservation)
    {
        reservation = default;
        bool isEnd = _kind == LogRecordKind.UnitEnd; // is small, and is published outside of an epoch
        bool isAwaitedByCommit = serials.Unit != 0 && (isEnd || version.Phase == CommitPhase.Prepare);
        if (logs.Logs.Failure is { } failure) throw logs.Poisoned(failure);
        if (_fullSince == logs.Frees && !isAwaitedByCommit) return Full();
        long bytes = Shape(name: identity.Name, 0).Size;
        if (bytes > logs.Logs.LargestRecord) throw TooLarge(bytes);
        for (int spins = 0; ; spins++)
        {
            switch (logs.Logs.TryReserve(ref _favorite, bytes, isAwaitedByCommit, out reservation))
            {
                case LogSpace.Taken:
                    _fullSince = -1;
                    return Outcome.Ok;
                case LogSpace.Full:
                    return Full();
            }

            if (Probe.On || spins == MostSpins) return Outcome.LogsBusy;
            Thread.SpinWait(spins);
        }
    }

    private Outcome Full()
    {
        _fullSince = logs.Frees;
        logs.RequestSpace();
        return Outcome.LogsFull;
    }

    private unsafe void Write(LogReservation reservation)
    {
        long at = version.OfAttempt;
        string? name = identity.MustName(reservation.Log, at) ? identity.Name : null;
        LogRecord record = LogRecord.Write(reservation.Pointer, Shape(name, at));
        _changes.Written.CopyTo(record.ValueBytes);
        _ = reservation.Publish();
    }

    private LogRecordShape Shape(string? name, long at)
    {
        bool isInUnit = serials.Unit != 0 && _kind != LogRecordKind.Void; // a unit that has changed nothing has one
        long serial = serials.Next;
        return new LogRecordShape
        {
            Kind = _kind, Version = at, ValueBytes = _changes.Written.Length, Name = name, IsInUnit = isInUnit,
            Session = identity.Name is not null || isInUnit ? new(identity.Number, serial, serial) : null,
            Counter = _kind == LogRecordKind.UnitEnd ? _unitRecords : 0,
        };
    }

    private LimitExceededException TooLarge(long bytes) => new(
        $"The transaction's record would take {bytes:N0} bytes of the operation log; {logs.Logs.LargestRecord:N0} is "
        + "the most, a quarter of the log. Nothing is changed. Change less at once, or open the store with a larger "
        + $"{nameof(TransactionalOptions)}.{nameof(TransactionalOptions.OperationLogSize)}.");
}
