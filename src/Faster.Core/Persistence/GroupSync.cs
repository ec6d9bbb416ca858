using Faster.Contracts;
using Faster.Devices;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Persistence;

/// <summary>
/// Group commit: one sync at a time, each for all callers that came before it began. A caller takes a ticket after its
/// writes, and waits until the ticket is durable.
/// </summary>
/// <remarks>
/// <para>A ticket is the number of the sync that covers it. Syncs are numbered from 1; a ticket taken before sync n
/// begins is at most n, one taken after is n + 1.</para>
/// <para>Invariants:</para>
/// <list type="number">
/// <item>A ticket t is durable only if what was written before it was taken is. <see cref="DurableUpTo"/> rises to t
/// when sync t has succeeded. The ticket was taken, under the lock, before sync t got its number under the same lock,
/// so the writes precede the sync.</item>
/// <item>A ticket waits for at most two syncs: the one under way when it was taken, and its own, which begins when that
/// one ends, because the ticket is wanted.</item>
/// <item>A failed sync is the last one: the kernel may have dropped what it was to write, and a retry would succeed
/// without it. All tickets that are not durable then fail, those waited for and later ones.</item>
/// <item>Every wait ends: by its sync, a failed one, its own cancellation, or disposal. A waiter is listed under the
/// lock only while its ticket is wanted and neither a failure nor disposal has been recorded, and whatever records one
/// of these takes the waiters off the list.</item>
/// </list>
/// <para>The sync runs on one thread of the group's own, so that callers who block all threads of the pool can't keep
/// it from running. Continuations run on the pool, never on that thread: one that waited for a ticket there would wait
/// for itself. A waiter costs a pooled object, no thread. Thread-safe, except that <see cref="Dispose"/> must not be
/// called from the sync.</para>
/// </remarks>
internal sealed class GroupSync : IDisposable
{
    private readonly object _gate = new();
    private readonly string _name;
    private readonly Action _sync;
    private readonly Thread? _worker;
    private readonly List<(long Ticket, AwaitableResult<long> Result)> _waiters = [];
    private long _begun;  // the number of the newest sync that has begun
    private long _wanted; // the highest ticket taken; at most _begun + 1
    private long _durable;
    private StorageException? _failure;
    private bool _isClosed;

    /// <summary>Creates a group and starts its thread.</summary>
    /// <param name="name">What is synced, for messages.</param>
    /// <param name="sync">
    /// Makes everything written before it is called durable, or throws; for example <see cref="Device.Sync"/>.
    /// </param>
    /// <param name="startsThread">Whether to start the thread; if not, the caller calls <see cref="Run"/>.</param>
    public GroupSync(string name, Action sync, bool startsThread = true)
    {
        _name = name;
        _sync = sync;
        if (!startsThread) return;
        _worker = new Thread(Run) { IsBackground = true, Name = "Faster group sync" };
        _worker.Start();
    }

    /// <summary>The highest ticket that is durable; all lower ones are, too.</summary>
    public long DurableUpTo => Volatile.Read(ref _durable);

    private bool IsSyncWanted => !_isClosed && _failure is null && _wanted > _begun;

    /// <summary>
    /// Takes a ticket for everything that was written before this call, and makes sure that a sync covers it.
    /// </summary>
    /// <exception cref="StorageException">A sync has failed.</exception>
    /// <exception cref="ObjectDisposedException">The group is disposed of.</exception>
    public long TakeTicket()
    {
        Probe.Point(ProbePoint.GroupSync);
        lock (_gate)
        {
            if (Ended() is { } end) throw end;
            bool joins = Probe.On && Probe.Has(SeededBug.TicketJoinsRunningSync) && _begun > _durable;
            long ticket = joins ? _begun : _begun + 1;
            if (ticket > _wanted) Monitor.Pulse(_gate);
            _wanted = Math.Max(_wanted, ticket);
            return ticket;
        }
    }

    /// <summary>Returns whether a ticket is durable, without waiting.</summary>
    /// <exception cref="StorageException">A sync has failed, and the ticket never becomes durable.</exception>
    /// <exception cref="ObjectDisposedException">The group was disposed of before.</exception>
    public bool IsDurable(long ticket)
    {
        Probe.Point(ProbePoint.GroupSync);
        if (DurableUpTo >= ticket) return true;
        lock (_gate)
        {
            if (_durable >= ticket) return true;
            return Ended() is { } end ? throw end : false;
        }
    }

    /// <summary>Waits until a ticket is durable.</summary>
    /// <param name="ticket">A ticket of this group.</param>
    /// <param name="ct">Cancels the waiting, not the sync.</param>
    /// <returns>A ticket up to which all is durable, at least <paramref name="ticket"/>.</returns>
    /// <exception cref="StorageException">The sync failed, or an earlier one.</exception>
    /// <exception cref="OperationCanceledException">The waiting was canceled.</exception>
    /// <exception cref="ObjectDisposedException">The group was disposed of before.</exception>
    public ValueTask<long> WaitAsync(long ticket, CancellationToken ct = default)
    {
        Probe.Point(ProbePoint.GroupSync);
        if (DurableUpTo is var durable && durable >= ticket) return new ValueTask<long>(durable);
        if (ct.IsCancellationRequested) return ValueTask.FromCanceled<long>(ct);
        AwaitableResult<long> result;
        lock (_gate)
        {
            if (_durable >= ticket) return new ValueTask<long>(_durable);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(ticket, _wanted);
            if (Ended() is { } end) return ValueTask.FromException<long>(end);
            result = AwaitableResult<long>.Rent();
            _waiters.Add((ticket, result));
        }

        return result.WaitAsync(ct);
    }

    /// <summary>
    /// Ends all waits with <see cref="ObjectDisposedException"/>, after the sync under way, whose tickets it still
    /// acknowledges.
    /// </summary>
    public void Dispose()
    {
        Probe.Point(ProbePoint.GroupSync);
        lock (_gate)
        {
            _isClosed = true;
            Monitor.Pulse(_gate);
        }

        _worker?.Join();
        End(long.MaxValue);
    }

    /// <summary>What the thread does: syncs while tickets are wanted, until disposal.</summary>
    internal void Run()
    {
        while (AwaitWork()) RunOnce();
    }

    /// <summary>Makes one sync, if a ticket wants one. One thread at a time may call this.</summary>
    /// <returns>Whether there was one to make.</returns>
    internal bool RunOnce()
    {
        try
        {
            return TrySyncOnce();
        }
        catch (InvariantException e)
        {
            Fail(new StorageException(e.Message, e)); // what a later sync would acknowledge can't be trusted
            return true;
        }
    }

    private bool TrySyncOnce()
    {
        Probe.Point(ProbePoint.GroupSync);
        long sync;
        lock (_gate)
        {
            if (!IsSyncWanted) return false;
            sync = ++_begun;
            Invariant.Check(
                _durable < sync && _wanted == sync, $"sync {sync} is the next wanted: {_wanted}, after {_durable}");
        }

        if (Probe.On && Probe.Has(SeededBug.TicketBeforeSync)) Succeed(sync);
        StorageException? failure = Sync();
        if (failure is not null && Probe.On && Probe.Has(SeededBug.FailedSyncIsRetried)) failure = Sync();
        Probe.Point(ProbePoint.GroupSync);
        if (failure is null) Succeed(sync);
        else Fail(failure);
        return true;
    }

    private bool AwaitWork()
    {
        while (!HasWork())
        {
            if (Probe.On && Probe.Wait(HasWork)) continue;
            lock (_gate)
            {
                while (!HasWork()) Monitor.Wait(_gate);
            }
        }

        lock (_gate) return !_isClosed;
    }

    private bool HasWork()
    {
        lock (_gate) return _isClosed || IsSyncWanted;
    }

    private StorageException? Sync()
    {
        try
        {
            _sync();
            return null;
        }
        catch (Exception e)
        {
            return e as StorageException ?? DeviceErrors.SyncFailed(_name, e.Message, e);
        }
    }

    private void Succeed(long sync)
    {
        lock (_gate)
        {
            Invariant.Check(
                _failure is null && sync >= _durable && sync == _begun,
                $"the sync under way succeeds, and none after a failure: {sync} of {_begun}, after {_durable}");
            _durable = sync;
        }

        End(sync);
    }

    private void Fail(StorageException failure)
    {
        lock (_gate) _failure = failure;
        End(long.MaxValue);
    }

    // Called after the change that ends the waits, so that no waiter of these tickets is listed any more.
    private void End(long upTo)
    {
        List<AwaitableResult<long>> ended = [];
        long durable;
        lock (_gate)
        {
            durable = _durable;
            foreach ((long ticket, AwaitableResult<long> result) in _waiters)
            {
                if (ticket <= upTo) ended.Add(result);
            }

            _waiters.RemoveAll(waiter => waiter.Ticket <= upTo);
        }

        foreach (AwaitableResult<long> result in ended) result.Complete(durable, upTo > durable ? Ended() : null);
    }

    // Why a ticket that is not durable never will be; a new exception for each caller, which adds its stack to it.
    private Exception? Ended() =>
        _failure is not null ? new StorageException(_failure.Message, _failure)
        : _isClosed ? new ObjectDisposedException(
            _name, $"The group sync of '{_name}' is closed. Take tickets and await them before disposal.")
        : null;
}
