using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Faster.Contracts;
using Faster.Log;
using Faster.Sessions;

namespace Faster;

/// <summary>A session's operations that wait for the disk: how many, which can go on, and what has failed.</summary>
/// <remarks>Thread-safe; continuing and waiting is the session's owner's part.</remarks>
internal sealed class PendingSet<TProbe>
    where TProbe : struct, IProbe
{
    private readonly ConcurrentQueue<PendingOperation<TProbe>> _ready = new();
    private readonly ConcurrentQueue<PendingOperation<TProbe>> _done = new();
    private readonly Func<bool> _isOver;
    private readonly ReadySignal _signal;
    private readonly List<Exception> _errors = [];
    private readonly LogReader? _reader;
    private readonly PendingMemory<TProbe>? _memory;
    private readonly int _most;
    private readonly Queue<PendingOperation<TProbe>> _parked = new();   // awaited, and not admitted yet
    private int _admitted;  // awaited, and under way
    private ReadQueue? _own;
    private bool _mayOwn = true; // whether the owner waited with a thread the last time
    private int _count;
    private int _wanted;    // how few are to be left for a wait to end
    private int _errorCount;

    /// <summary>None waits.</summary>
    /// <param name="leftOut">Knows which operations commits leave out.</param>
    /// <param name="most">How many operations may be under way at once.</param>
    /// <param name="reader">What reads from disk; null for a store that has none.</param>
    /// <param name="memory">What all sessions' operations share; null for a store that has no disk.</param>
    public PendingSet(LeftOut leftOut, int most, LogReader? reader, PendingMemory<TProbe>? memory)
    {
        LeftOut = leftOut;
        _most = most;
        _reader = reader;
        _memory = memory;
        _isOver = () => !_ready.IsEmpty || !_done.IsEmpty || Count <= _wanted;
        _signal = new ReadySignal(_isOver);
    }

    /// <summary>
    /// The session's own row of reads; null where it has none: the device gives none, or the owner has waited without a
    /// thread the last time, so that the I/O thread has to take the completions. Then the row is given back as soon as
    /// it is idle; with the next wait that has a thread it may have one again.
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
                _own = _reader?.TryRentQueue();
                _mayOwn = _own is not null;
            }

            return _own;
        }
    }

    /// <summary>The operations that ask for memory when the owner waits for them; kept by that.</summary>
    public Queue<PendingOperation<TProbe>> Unclaimed { get; } = new();

    /// <summary>The shares of memory of the operations that the owner continues; kept by that.</summary>
    public long SharedBytes { get; set; }

    /// <summary>Whether the owner waits for the operations; kept by the memory that they share.</summary>
    public bool IsWaitedFor { get; set; }

    /// <summary>How many operations wait.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>An operation has gone pending.</summary>
    public void OnBegun(PendingOperation<TProbe> operation)
    {
        Interlocked.Increment(ref _count);
        LeftOut.Begin(operation.Serial, operation.Version);
    }

    /// <summary>Which operations commits leave out.</summary>
    public LeftOut LeftOut { get; }

    /// <summary>An operation can be continued.</summary>
    public void AddReady(PendingOperation<TProbe> operation)
    {
        _ready.Enqueue(operation);
        Tell();
    }

    /// <summary>Another thread has carried out an operation: its outcome is to be told.</summary>
    public void AddDone(PendingOperation<TProbe> operation)
    {
        _done.Enqueue(operation);
        Tell();
    }

    /// <summary>Takes an operation that can be continued.</summary>
    public bool TryTakeReady([NotNullWhen(true)] out PendingOperation<TProbe>? operation) =>
        _ready.TryDequeue(out operation);

    /// <summary>An operation has ended.</summary>
    /// <param name="error">The error that nobody else hears of, or null.</param>
    /// <param name="wasAdmitted">Whether it was one of those that <see cref="TryAdmit"/> has let go on.</param>
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

        if (Interlocked.Decrement(ref _count) <= Volatile.Read(ref _wanted)) Tell();
    }

    /// <summary>Continues what can be continued.</summary>
    public void ContinueReady(FasterSession<TProbe> session)
    {
        _own?.Poll();
        while (_ready.TryDequeue(out PendingOperation<TProbe>? operation)) operation.ResumeOn(session);
        while (_done.TryDequeue(out PendingOperation<TProbe>? done)) done.Deliver();
        if (!_mayOwn) ReturnIdle();
    }

    /// <summary>
    /// Lets an awaited operation begin to read, unless as many as may are under way: then it is told when it may. Only
    /// the end of others of this session is waited for, and none of them waits for this.
    /// </summary>
    public bool TryAdmit(PendingOperation<TProbe> operation)
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
    /// Before an operation begins to wait: ends others of the session, while there are as many as may be, or all
    /// sessions' together take as much memory as they may. The first may always.
    /// </summary>
    public void MakeWay(FasterSession<TProbe> session)
    {
        CompleteDownTo(_most - 1, session);
        for (int count; _memory is { IsFull: true } && (count = Count) != 0;) CompleteDownTo(count - 1, session);
    }

    /// <summary>Continues and waits until so many are left, or fewer.</summary>
    public void CompleteDownTo(int count, FasterSession<TProbe> session)
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
                if (!waits) _memory?.BeginWait(this);
                waits = true;
                if (_own is { IsBusy: true } own) own.Wait(_isOver);
                else if (!TProbe.Wait(_isOver)) _signal.Wait();
            }
        }
        finally
        {
            if (waits) _memory?.EndWait(this);
        }
    }

    /// <summary>Continues and waits, without a thread, until none is left.</summary>
    /// <param name="session">The session.</param>
    /// <param name="isClosed">Whether the session takes no calls any more.</param>
    /// <param name="ct">Ends the waiting.</param>
    public async ValueTask CompleteAsync(FasterSession<TProbe> session, bool isClosed, CancellationToken ct)
    {
        if (IsDone()) return;
        _memory?.BeginWait(this);
        try
        {
            do await WaitForReadyAsync(session.Store.Pump).WaitAsync(ct).ConfigureAwait(false);
            while (!IsDone());
        }
        finally
        {
            _memory?.EndWait(this);
        }

        bool IsDone()
        {
            if (!isClosed) return session.CompletePending(wait: false);
            ContinueReady(session);
            return Count == 0;
        }
    }

    /// <summary>Ends when an operation can be continued, or none waits.</summary>
    /// <param name="pump">Takes over the completions that the session's owner leaves to others by this.</param>
    private Task WaitForReadyAsync(IoPump<TProbe> pump)
    {
        _mayOwn = false;
        ReturnIdle();
        Volatile.Write(ref _wanted, 0);
        if (_own is { } own) pump.TakeOver(own);
        return _signal.WaitAsync();
    }

    /// <summary>Takes part in the session's reads from another thread, unless the owner is at it.</summary>
    /// <returns>Whether any were back.</returns>
    public bool HelpReads() => _own is { } own && own.Poll();

    /// <summary>Whether reads of the session's own are under way.</summary>
    public bool HasReads => _own is { IsBusy: true };

    /// <summary>Gives back what the session had of the device. None waits.</summary>
    public void Close()
    {
        _mayOwn = false;
        ReturnIdle();
        _own = null;
    }

    /// <summary>Throws what has failed since the last call.</summary>
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
        throw errors[0] as FasterException ?? new UserFunctionException(
            $"A completion callback threw: {errors[0].Message} Its operation is done all the same.", errors[0]);
    }

    private bool MayAdmit() => _admitted == 0 || (_admitted < _most && !_memory!.IsFull);

    private void AdmitOthers()
    {
        lock (_parked) _admitted--;
        while (TakeAdmitted() is { } operation) operation.OnAdmitted();
    }

    private PendingOperation<TProbe>? TakeAdmitted()
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
        _reader!.ReturnQueue(own);
    }

    private void Tell()
    {
        _signal.Set();
        _own?.Wake();
    }
}
