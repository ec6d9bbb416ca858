using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Faster.Log.Reads;
using Faster.Probes;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogSessions.Pending;

/// <summary>
/// A session's pending operations: their number, which can continue, and the errors of those that failed.
/// </summary>
/// <remarks>Thread-safe, except that only the session's owner may continue operations and wait for them.</remarks>
internal sealed class PendingSet
{
    private const int MostKept = 64;

    private readonly ConcurrentQueue<PendingOperation> _ready = new();
    private readonly ConcurrentQueue<PendingOperation> _done = new();
    private readonly Func<bool> _isOver;
    private readonly ReadySignal _signal;
    private readonly List<Exception> _errors = [];
    private readonly Tier _tier;
    private readonly PendingMemory _memory;
    private readonly int _most;
    private readonly Queue<PendingOperation> _parked = new();   // awaited, not admitted yet
    private int _admitted;  // awaited, in flight
    private ReadQueue? _own;
    private bool _mayOwn = true; // whether the owner's last wait had a thread
    private int _count;
    private int _wanted;    // the number at which a wait ends
    private int _awaiters;  // callers of CompleteAsync
    private int _errorCount;

    /// <summary>Creates an empty set.</summary>
    /// <param name="excluded">The session's serial numbers that commits exclude.</param>
    /// <param name="most">The maximum number of operations in flight.</param>
    /// <param name="tier">The tier whose reads the owner polls.</param>
    /// <param name="memory">The memory that the operations of all sessions share.</param>
    public PendingSet(ExcludedSerials excluded, int most, Tier tier, PendingMemory memory)
    {
        ExcludedSerials = excluded;
        _most = most;
        _tier = tier;
        _memory = memory;
        _isOver = () => !_ready.IsEmpty || !_done.IsEmpty || Count <= _wanted;
        _signal = new ReadySignal(_isOver);
    }

    /// <summary>
    /// The session's own read queue; null where it has none: the device offers none, or the owner's last wait had no
    /// thread, so that the I/O thread has to poll. Then the queue is returned as soon as it is idle; after the next
    /// wait with a thread the session may rent one again.
    /// </summary>
    public ReadQueue? OwnReads
    {
        get
        {
            if (!_mayOwn)
            {
                ReturnIdle();
                return null;
            }

            if (_own is null)
            {
                _own = _tier.Reader?.TryRentQueue();
                _mayOwn = _own is not null;
            }

            return _own;
        }
    }

    /// <summary>The tier whose reads the owner polls.</summary>
    public Tier Tier => _tier;

    /// <summary>
    /// The operations that request memory when the owner waits; guarded by <see cref="PendingMemory"/>.
    /// </summary>
    public Queue<PendingOperation> Unclaimed { get; } = new();

    /// <summary>The bytes of the shares of operations that the owner continues; guarded likewise.</summary>
    public long SharedBytes { get; set; }

    /// <summary>Whether the owner waits for the operations; guarded likewise.</summary>
    public bool IsWaitedFor { get; set; }

    /// <summary>The number of pending operations.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether nothing is left of the session's operations, nor of callers who waited for them.</summary>
    public bool IsIdle
    {
        get
        {
            bool isEmpty = Count == 0 && _ready.IsEmpty && _done.IsEmpty && Volatile.Read(ref _errorCount) == 0
                && Volatile.Read(ref _awaiters) == 0;
            lock (_parked) return isEmpty && _parked.Count == 0 && _admitted == 0;
        }
    }

    /// <summary>Holds the operations of another session from now on. It is idle.</summary>
    /// <param name="excluded">The session's serial numbers that commits exclude.</param>
    public void Serve(ExcludedSerials excluded) => (ExcludedSerials, _mayOwn) = (excluded, true);

    /// <summary>How many operations may wait to be admitted without more memory.</summary>
    public int Room
    {
        get
        {
            lock (_parked) return _parked.Capacity;
        }
    }

    /// <summary>Releases memory that many operations have taken. The set is idle.</summary>
    public void Trim()
    {
        lock (_parked)
            if (_parked.Capacity > MostKept) _parked.TrimExcess();
    }

    /// <summary>Registers an operation that has become pending.</summary>
    public void OnBegun(PendingOperation operation)
    {
        Interlocked.Increment(ref _count);
        ExcludedSerials.Begin(operation.Serial, operation.Version);
    }

    /// <summary>Registers an operation that is carried out, but not durable yet.</summary>
    public void OnDone() => Interlocked.Increment(ref _count);

    /// <summary>The session's serial numbers that commits exclude.</summary>
    public ExcludedSerials ExcludedSerials { get; private set; }

    /// <summary>Queues an operation that can be continued.</summary>
    public void AddReady(PendingOperation operation)
    {
        _ready.Enqueue(operation);
        Signal();
    }

    /// <summary>Queues an operation that another thread has carried out: the owner delivers its outcome.</summary>
    public void AddDone(PendingOperation operation)
    {
        _done.Enqueue(operation);
        Signal();
    }

    /// <summary>Takes an operation that can be continued.</summary>
    public bool TryTakeReady([NotNullWhen(true)] out PendingOperation? operation) => _ready.TryDequeue(out operation);

    /// <summary>Removes an operation that has ended.</summary>
    /// <param name="error">An error that no callback or awaiter receives; null if there is none.</param>
    /// <param name="wasAdmitted">Whether <see cref="TryAdmit"/> had admitted it.</param>
    public void OnEnded(Exception? error, bool wasAdmitted)
    {
        if (wasAdmitted) AdmitOthers();
        if (error is not null)
        {
            lock (_errors)
            {
                _errors.Add(error);
                _errorCount = _errors.Count;
            }
        }

        if (Interlocked.Decrement(ref _count) <= Volatile.Read(ref _wanted)) Signal();
    }

    /// <summary>Continues all ready operations, and delivers those that are done. Called by the owner.</summary>
    public void ContinueReady(LogSession session)
    {
        _own?.Poll();
        while (_ready.TryDequeue(out PendingOperation? operation)) operation.ResumeOn(session);
        while (_done.TryDequeue(out PendingOperation? done)) done.Deliver();
        if (!_mayOwn) ReturnIdle();
    }

    /// <summary>
    /// Admits an awaited operation to reading, unless the maximum is in flight: then its
    /// <see cref="PendingOperation.OnAdmitted"/> is called later. It waits only for operations of this session
    /// that have been admitted, and none of these waits for it.
    /// </summary>
    public bool TryAdmit(PendingOperation operation)
    {
        lock (_parked)
        {
            if (_parked.Count == 0 && MayAdmit())
            {
                _admitted++;
                return true;
            }

            _parked.Enqueue(operation);
            return false;
        }
    }

    /// <summary>
    /// Before an operation becomes pending: ends others of the session while the maximum is in flight, or all sessions'
    /// operations together use up their memory. A session's first operation never waits here.
    /// </summary>
    public void MakeWay(LogSession session)
    {
        CompleteDownTo(_most - 1, session);
        for (int count; _memory.IsFull && (count = Count) != 0;) CompleteDownTo(count - 1, session);
    }

    /// <summary>Continues operations and blocks until at most this many are pending.</summary>
    public void CompleteDownTo(int count, LogSession session)
    {
        if (count == 0) ContinueReady(session);
        Volatile.Write(ref _wanted, count);
        bool waits = false;
        try
        {
            while (Count > count)
            {
                ContinueReady(session);
                if (Count <= count) return;
                _mayOwn = true;
                if (!waits) _memory.BeginWait(this);
                waits = true;
                if (_own is { IsBusy: true } own) own.Wait(_isOver);
                else if (!(Probe.On && Probe.Wait(_isOver))) _signal.Wait();
            }
        }
        finally
        {
            if (waits) _memory.EndWait(this);
        }
    }

    /// <summary>Continues operations and waits, without a thread, until none is pending.</summary>
    /// <param name="session">The session whose operations they are.</param>
    /// <param name="isClosed">Whether the session accepts no calls any more.</param>
    /// <param name="ct">Ends the waiting.</param>
    public async ValueTask CompleteAsync(LogSession session, bool isClosed, CancellationToken ct)
    {
        // Before the session's call: it may end meanwhile, and what it refers to must not be another one's then.
        Interlocked.Increment(ref _awaiters);
        try
        {
            if (IsDone()) return;
            Probe.Point(ProbePoint.Wait);
            _memory.BeginWait(this);
            try
            {
                do await WaitForReadyAsync(isClosed ? null : session).OrCanceled(ct).Here();
                while (!IsDone());
            }
            finally
            {
                _memory.EndWait(this);
            }
        }
        finally
        {
            Interlocked.Decrement(ref _awaiters);
        }

        bool IsDone()
        {
            if (!isClosed) return session.CompletePending(wait: false);
            ContinueReady(session);
            return Count == 0;
        }
    }

    /// <summary>A task that ends when an operation can be continued, or none is pending.</summary>
    private Task WaitForReadyAsync(LogSession? caller)
    {
        using SessionGate.Call call = caller?.BeginCall() ?? default;
        _mayOwn = false;
        ReturnIdle();
        Volatile.Write(ref _wanted, 0);
        if (_own is { } own) IOThread.Of(_tier).TakeOver(own);
        return _signal.WaitAsync();
    }

    /// <summary>Polls the session's own reads from another thread, unless the owner is polling.</summary>
    /// <returns>Whether any were complete.</returns>
    public bool HelpReads() => _own is { } own && own.Poll();

    /// <summary>Whether reads of the session's own queue are in flight.</summary>
    public bool HasReads => _own is { IsBusy: true };

    /// <summary>Returns the session's read queue. No operation may be pending.</summary>
    public void Close()
    {
        _mayOwn = false;
        ReturnIdle();
        _own = null;
    }

    /// <summary>Throws the errors since the last call, if there are any.</summary>
    public void ThrowErrors()
    {
        if (Volatile.Read(ref _errorCount) == 0) return;
        Exception[] errors;
        lock (_errors)
        {
            errors = [.. _errors];
            _errors.Clear();
            _errorCount = 0;
        }

        if (errors.Length > 1) throw new AggregateException("Several pending operations have failed.", errors);
        throw errors[0] as FasterException ?? new FasterException(
            ErrorReason.UserFunction,
            $"A completion callback threw: {errors[0].Message} Its operation is done all the same.", errors[0]);
    }

    private bool MayAdmit() => _admitted == 0 || (_admitted < _most && !_memory.IsFull);

    private void AdmitOthers()
    {
        lock (_parked) _admitted--;
        while (TakeAdmitted() is { } operation) operation.OnAdmitted();
    }

    private PendingOperation? TakeAdmitted()
    {
        lock (_parked)
        {
            if (_parked.Count == 0 || !MayAdmit()) return null;
            _admitted++;
            return _parked.Dequeue();
        }
    }

    private void ReturnIdle()
    {
        if (_own is not { IsBusy: false } own) return;
        _own = null;
        _tier.Reader!.ReturnQueue(own);
    }

    private void Signal()
    {
        _signal.Set();
        _own?.Wake();
    }
}
