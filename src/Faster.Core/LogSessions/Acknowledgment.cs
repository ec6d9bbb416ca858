using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.LogSessions.Pending;
using Faster.OperationLogs;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Operations.Waiting;
using Faster.Probes;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogSessions;

/// <summary>
/// Makes durable what a session's operations have done, where each operation is: a caller waits, an awaited operation
/// is pending until it is. In a unit or a batch the end does it for all (docs/internals/each-operation.md).
/// </summary>
/// <remarks>Outside every epoch. Not thread-safe: it belongs to a session.</remarks>
/// <param name="session">The session.</param>
/// <param name="entry">What its attempts publish with.</param>
/// <param name="serials">The numbers of its operations.</param>
internal sealed class Acknowledgment(LogSession session, JournalEntry entry, SessionSerials serials)
{
    private const int MostAwaited = 1 << 14; // of a session's operations that are done, and not durable

    private readonly Journal _journal = entry.Journal;

    private long _deferred = Journal.NoTicket;

    /// <summary>Whether operations are durable only after <see cref="CompleteAsync"/>; set between calls.</summary>
    public bool Defers { get; set; }

    private Tier Tier => session.Core.Tiers[0];

    /// <summary>Makes durable what another session's operations do, from now on.</summary>
    public void Serve(LogSession next) => (session, _deferred, Defers) = (next, Journal.NoTicket, false);

    /// <summary>Waits for the operations that did not wait.</summary>
    public async ValueTask CompleteAsync()
    {
        if (_deferred == Journal.NoTicket) return;
        _ = await _journal.Logs.WaitAsync(_deferred, CancellationToken.None).Here();
        _deferred = Journal.NoTicket;
    }

    /// <summary>Waits for the operation that was carried out last, or makes it pending.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="status">Its status.</param>
    /// <returns>The status, or <see cref="Status.Pending"/>.</returns>
    /// <exception cref="StorageException">
    /// The logs can't be synced: whether the operation is durable is not known.
    /// </exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public Status Await<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, Status status)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (status == Status.Pending || serials.Unit != 0) return status;
        long ticket = TakeTicket<TAlgorithm, TOperation>(hash);
        if (ticket == Journal.NoTicket || _journal.Logs.IsDurable(ticket)) return status;
        if (Defers)
        {
            _deferred = Math.Max(_deferred, ticket);
            return status;
        }

        if (!operation.IsAwaited || session.PendingCount >= MostAwaited)
        {
            _journal.Logs.Wait(ticket);
            return status;
        }

        TypedPendingOperation<TAlgorithm, TOperation>.Capture(session, Tier, key, hash, ref operation)
            .AwaitDurable(status, TAlgorithm.IsJournaled ? entry.Serial : null, ticket);
        return Status.Pending;
    }

    /// <summary>
    /// The ticket for the last operation, which was carried out: that of what it has published, of what it has read, or
    /// of what has left it nothing to change; <see cref="SharedLogs.NoTicket"/> if it needs none.
    /// </summary>
    /// <param name="hash">The hash of its key.</param>
    public long TakeTicket<TAlgorithm, TOperation>(ulong hash)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IOperation
    {
        if (!_journal.IsOn) return Journal.NoTicket;
        if (!TAlgorithm.IsJournaled) return _journal.TicketOfRead(hash);
        if (Probe.On && Probe.Has(SeededBug.TicketBeforePublished))
            return Interlocked.Exchange(ref _deferred, _journal.TakeTicket());
        return entry.TakePublished() ? _journal.TakeTicket() : _journal.TicketOf(hash);
    }

    /// <summary>Publishes that the session's unit is whole, if it has changed anything.</summary>
    /// <returns>Ends when it is durable.</returns>
    /// <exception cref="FasterException">The logs are full, or can't be written.</exception>
    public ValueTask PublishUnitEnd()
    {
        if (!_journal.IsOn || !serials.HasWritten) return default;
        var stall = new StallTimeout(Tier);
        for (;;)
        {
            Outcome outcome = entry.PublishUnitEnd(session.Identity!, serials.Unit);
            if (outcome == Outcome.Ok) return UnitDurableAsync(serials.Unit, _journal.TakeTicket());
            if (outcome == Outcome.LogsFull) _journal.WaitForSpace();
            else stall.Yield(outcome);
            stall.Check(outcome);
        }
    }

    // What the session does next may be durable, and the unit not.
    private async ValueTask UnitDurableAsync(long serial, long ticket)
    {
        JournalSession identity = session.Identity!; // the session may end meanwhile
        identity.Open(serial);
        try
        {
            _ = await _journal.Logs.WaitAsync(ticket, CancellationToken.None).Here();
        }
        finally
        {
            identity.Close(serial);
        }
    }
}
