using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Faster.Contracts;
using Faster.Log;

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
    private ReadQueue? _own;
    private bool _mayOwn = true;
    private int _count;
    private int _wanted;    // how few are to be left for a wait to end
    private int _errorCount;

    /// <summary>None waits.</summary>
    /// <param name="leftOut">Knows which operations commits leave out.</param>
    /// <param name="reader">What reads from disk; null for a store that has none.</param>
    public PendingSet(LeftOut leftOut, LogReader? reader)
    {
        LeftOut = leftOut;
        _reader = reader;
        _isOver = () => !_ready.IsEmpty || !_done.IsEmpty || Count <= _wanted;
        _signal = new ReadySignal(_isOver);
    }

    /// <summary>
    /// The session's own row of reads; null where it has none: the device gives none, or the owner waits without a
    /// thread, so that the I/O thread has to take the completions.
    /// </summary>
    public ReadQueue? OwnReads
    {
        get
        {
            if (_own is null && _mayOwn)
            {
                _own = _reader?.TryRentQueue();
                _mayOwn = _own is not null;
            }

            return _mayOwn ? _own : null;
        }
    }

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
    public void OnEnded(Exception? error)
    {
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
    }

    /// <summary>Continues and waits until so many are left, or fewer.</summary>
    public void CompleteDownTo(int count, FasterSession<TProbe> session)
    {
        if (count == 0) ContinueReady(session);
        Volatile.Write(ref _wanted, count);
        while (Count > count)
        {
            ContinueReady(session);
            if (Count <= count) return;
            if (_own is { IsBusy: true } own) own.Wait(_isOver);
            else _signal.Wait();
        }
    }

    /// <summary>Ends when an operation can be continued, or none waits.</summary>
    /// <param name="pump">Takes over the completions that the session's owner leaves to others by this.</param>
    public Task WaitForReadyAsync(IoPump<TProbe> pump)
    {
        _mayOwn = false;
        Volatile.Write(ref _wanted, 0);
        if (_own is { IsBusy: true } own) pump.TakeOver(own);
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
        if (_own is { IsBusy: false } own) _reader!.ReturnQueue(own);
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

    private void Tell()
    {
        _signal.Set();
        _own?.Wake();
    }
}
