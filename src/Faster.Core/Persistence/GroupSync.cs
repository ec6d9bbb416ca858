using System.Diagnostics;
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
/// when sync t has succeeded. The taker passes a fence behind its writes and then reads the number of the last sync
/// that has begun, t - 1; sync t raises that number, and looks for writes afterwards: so it sees them.</item>
/// <item>A ticket waits for at most two syncs: the one under way when it was taken, and its own, which begins when that
/// one ends, because the ticket is wanted, or a little later (see below).</item>
/// <item>A failed sync is the last one: the kernel may have dropped what it was to write, and a retry would succeed
/// without it. All tickets that are not durable then fail, those waited for and later ones.</item>
/// <item>Every wait ends: by its sync, a failed one, its own cancellation, or disposal. A waiter is listed under the
/// lock only while its ticket is wanted and neither a failure nor disposal has been recorded, and whatever records one
/// of these takes the waiters off the list.</item>
/// </list>
/// <para><b>Gathering.</b> Callers that a sync has released come again soon. If the next sync began with the first of
/// them, the others would wait for the one after it, and each sync would serve half. So it begins when as many wait as
/// the last one has released. It is put off for as long as the last one took, at most, where threads are blocked: they
/// come within microseconds, so the thread only yields. Where all waits are awaited it sleeps, for a millisecond at
/// most: who issues them needs the processor.</para>
/// <para>The sync runs on one thread of the group's own, so that callers who block all threads of the pool can't keep
/// it from running. Continuations run on the pool, never on that thread: one that waited for a ticket there would wait
/// for itself. Thread-safe, except that <see cref="Dispose"/> must not be called from the sync.</para>
/// </remarks>
internal sealed class GroupSync : IDisposable
{
    private const int MostMilliseconds = 1; // for awaited waits to come

    private readonly object _gate = new();
    private readonly string _name;
    private readonly Action _sync;
    private readonly Thread? _worker;
    private Waiters _current = new(), _next = new(); // of the sync under way, and of the one after it
    private long _begun;    // the number of the newest sync that has begun
    private long _wanted;   // the highest ticket taken; at most _begun + 1
    private long _durable;
    private long _arrived;  // the callers that have begun to wait, in all
    private long _cohort;   // of these, those that the last sync has released
    private long _atBegin;  // what _arrived was when the last sync began
    private TimeSpan _lastSync;
    private long _syncTicks;
    private volatile StorageException? _failure;
    private volatile bool _isClosed;

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

    /// <summary>How long all syncs took together.</summary>
    public TimeSpan SyncTime => new(Volatile.Read(ref _syncTicks));

    /// <summary>The failure of a sync, after which there is none; null if there was none.</summary>
    public StorageException? Failure => _failure;

    private bool MoreWillCome => Volatile.Read(ref _arrived) - _atBegin < _cohort && !_isClosed;

    private bool IsSyncWanted =>
        !_isClosed && _failure is null && Volatile.Read(ref _wanted) > Volatile.Read(ref _begun);

    /// <summary>
    /// Takes a ticket for everything that was written before this call, and makes sure that a sync covers it.
    /// </summary>
    /// <exception cref="StorageException">A sync has failed.</exception>
    /// <exception cref="ObjectDisposedException">The group is disposed of.</exception>
    public long TakeTicket()
    {
        Probe.Point(ProbePoint.GroupSync);
        Interlocked.MemoryBarrier();
        if (Ended() is { } end) throw end;
        long begun = Volatile.Read(ref _begun);
        bool joins = Probe.On && Probe.Has(SeededBug.TicketJoinsRunningSync) && begun > DurableUpTo;
        long ticket = joins ? begun : begun + 1;
        Probe.Point(ProbePoint.GroupSync);
        for (long seen = Volatile.Read(ref _wanted); seen < ticket;)
        {
            long was = Interlocked.CompareExchange(ref _wanted, ticket, seen);
            if (was == seen) Wake();
            seen = was == seen ? ticket : was;
        }

        return ticket;
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
            return _durable >= ticket || (Ended() is { } end ? throw end : false);
        }
    }

    /// <summary>Blocks until a ticket is durable.</summary>
    /// <param name="ticket">A ticket of this group.</param>
    /// <exception cref="StorageException">The sync failed, or an earlier one.</exception>
    /// <exception cref="ObjectDisposedException">The group was disposed of before.</exception>
    public void Wait(long ticket)
    {
        while (!IsDurable(ticket)) // again if the thread was woken for an earlier wait, which an interrupt has ended
        {
            lock (_gate)
            {
                if (_durable >= ticket || Ended() is not null) continue;
                ArgumentOutOfRangeException.ThrowIfGreaterThan(ticket, Volatile.Read(ref _wanted));
                _arrived++;
                Sleeper.OfThread.Begin();
                (ticket <= _begun ? _current : _next).Blocked.Add(Sleeper.OfThread);
                if (_next.Blocked.Count == 1) Monitor.Pulse(_gate);
            }

            Sleeper.OfThread.Sleep();
        }
    }

    /// <summary>Calls back when a ticket is durable, or never will be.</summary>
    /// <param name="ticket">A ticket of this group.</param>
    /// <param name="waiter">Is called once, on the pool; those of one sync as they have come.</param>
    public void Notify(long ticket, IDurableWaiter waiter)
    {
        Probe.Point(ProbePoint.GroupSync);
        Exception? end = null;
        lock (_gate)
        {
            if (_durable < ticket && (end = Ended()) is null)
            {
                ArgumentOutOfRangeException.ThrowIfGreaterThan(ticket, Volatile.Read(ref _wanted));
                _arrived++;
                (ticket <= _begun ? _current : _next).Awaited.Add(waiter);
                if (_arrived - _atBegin == _cohort) Monitor.Pulse(_gate);
                return;
            }
        }

        Complete([waiter], end);
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
        var waiter = new Awaiter(ticket);
        ValueTask<long> task = waiter.Result.WaitAsync(ct);
        Notify(ticket, waiter);
        return task;
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
            Monitor.PulseAll(_gate);
        }

        _worker?.Join();
        EndAll();
    }

    /// <summary>What the thread does: syncs while tickets are wanted, until disposal.</summary>
    internal void Run()
    {
        while (AwaitWork())
        {
            Gather();
            RunOnce();
        }
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
            sync = _begun + 1;
            Invariant.Check(
                _durable < sync && _wanted == sync && _current.Count == 0,
                $"sync {sync} is the next wanted: {_wanted}, after {_durable}");
            (_current, _next) = (_next, _current);
            _cohort = _arrived - _atBegin;
            _atBegin = _arrived;
            Interlocked.Exchange(ref _begun, sync);
        }

        if (Probe.On && Probe.Has(SeededBug.TicketBeforeSync)) Succeed(sync);
        long began = Stopwatch.GetTimestamp();
        StorageException? failure = Sync();
        _lastSync = Stopwatch.GetElapsedTime(began);
        Volatile.Write(ref _syncTicks, _syncTicks + _lastSync.Ticks);
        if (failure is not null && Probe.On && Probe.Has(SeededBug.FailedSyncIsRetried)) failure = Sync();
        Probe.Point(ProbePoint.GroupSync);
        if (failure is null) Succeed(sync);
        else Fail(failure);
        return true;
    }

    private void Gather()
    {
        if (Probe.On && Probe.Wait(null)) return;
        lock (_gate)
        {
            if (MoreWillCome && _next.Blocked.Count == 0) Monitor.Wait(_gate, MostMilliseconds);
            if (_next.Blocked.Count == 0) return;
        }

        long began = Stopwatch.GetTimestamp();
        while (MoreWillCome && Stopwatch.GetElapsedTime(began) < _lastSync) Thread.Yield();
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

        return !_isClosed;
    }

    private bool HasWork() => _isClosed || IsSyncWanted;

    private void Wake()
    {
        lock (_gate) Monitor.Pulse(_gate);
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
        Waiters ended;
        lock (_gate)
        {
            Invariant.Check(
                _failure is null && sync >= _durable && sync == _begun,
                $"the sync under way succeeds, and none after a failure: {sync} of {_begun}, after {_durable}");
            Volatile.Write(ref _durable, sync);
            (ended, _current) = (_current, new Waiters());
        }

        Complete(ended, null);
    }

    private void Fail(StorageException failure)
    {
        lock (_gate) _failure = failure;
        EndAll();
    }

    // Called after the change that ends the waits, so that no waiter is listed any more.
    private void EndAll()
    {
        Waiters current, next;
        lock (_gate) (current, next, _current, _next) = (_current, _next, new(), new());
        Complete(current, Ended());
        Complete(next, Ended());
    }

    // The threads first: each wakes by itself, not one after another by a lock. A test's scheduler has no pool.
    private static void Complete(Waiters ended, Exception? error)
    {
        foreach (Sleeper sleeper in ended.Blocked) sleeper.Wake();
        if (ended.Awaited.Count != 0) Complete(ended.Awaited, error);
    }

    private static void Complete(List<IDurableWaiter> waiters, Exception? error)
    {
        if (Probe.On && Probe.Wait(null)) CompleteHere(waiters, error);
        else
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static of => CompleteHere(of.Waiters, of.Error), (Waiters: waiters, Error: error), preferLocal: false);
        }
    }

    private static void CompleteHere(List<IDurableWaiter> waiters, Exception? error)
    {
        foreach (IDurableWaiter waiter in waiters) waiter.OnDurable(error);
    }

    // Why a ticket that is not durable never will be; a new exception for each caller, which adds its stack to it.
    private Exception? Ended() =>
        _failure is { } failure ? new StorageException(failure.Message, failure)
        : _isClosed ? new ObjectDisposedException(
            _name, $"The group sync of '{_name}' is closed. Take tickets and await them before disposal.")
        : null;

    /// <summary>Those that wait for one sync. Guarded by the gate until that sync has ended.</summary>
    private sealed class Waiters
    {
        public List<Sleeper> Blocked { get; } = [];

        public List<IDurableWaiter> Awaited { get; } = [];

        public int Count => Blocked.Count + Awaited.Count;
    }

    private sealed class Awaiter(long ticket) : IDurableWaiter
    {
        public AwaitableResult<long> Result { get; } = AwaitableResult<long>.Rent();

        public void OnDurable(Exception? error) => Result.Complete(ticket, error);
    }
}
