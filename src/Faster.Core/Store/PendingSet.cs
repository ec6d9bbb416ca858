using System.Collections.Concurrent;
using Faster.Contracts;

namespace Faster;

/// <summary>A session's operations that wait for the disk: how many, which can go on, and what has failed.</summary>
/// <remarks>Thread-safe; continuing and waiting is the session's owner's part.</remarks>
internal sealed class PendingSet<TProbe>
    where TProbe : struct, IProbe
{
    private readonly ConcurrentQueue<PendingOperation<TProbe>> _ready = new();
    private readonly ReadySignal _signal = new();
    private readonly List<Exception> _errors = [];
    private int _count;

    /// <summary>How many operations wait.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>An operation has gone pending.</summary>
    public void OnBegun() => Interlocked.Increment(ref _count);

    /// <summary>An operation can be continued.</summary>
    public void AddReady(PendingOperation<TProbe> operation)
    {
        _ready.Enqueue(operation);
        _signal.Set();
    }

    /// <summary>An operation has ended.</summary>
    /// <param name="error">The error that nobody else hears of, or null.</param>
    public void OnEnded(Exception? error)
    {
        if (error is not null)
        {
            lock (_errors) _errors.Add(error);
        }

        Interlocked.Decrement(ref _count);
        _signal.Set();
    }

    /// <summary>Continues what can be continued.</summary>
    public void ContinueReady(FasterSession<TProbe> session)
    {
        while (_ready.TryDequeue(out PendingOperation<TProbe>? operation)) operation.ResumeOn(session);
    }

    /// <summary>Continues and waits until so many are left, or fewer.</summary>
    public void CompleteDownTo(int count, FasterSession<TProbe> session)
    {
        for (;;)
        {
            if (count == 0 || Count > count) ContinueReady(session);
            if (Count <= count) return;
            WaitForReadyAsync().Wait();
        }
    }

    /// <summary>Ends when an operation can be continued, or none waits.</summary>
    public Task WaitForReadyAsync() => _signal.WaitAsync(() => !_ready.IsEmpty || Count == 0);

    /// <summary>Throws what has failed since the last call.</summary>
    public void ThrowErrors()
    {
        Exception[] errors;
        lock (_errors)
        {
            if (_errors.Count == 0) return;
            errors = [.. _errors];
            _errors.Clear();
        }

        if (errors.Length > 1) throw new AggregateException("Several pending operations have failed.", errors);
        throw errors[0] as FasterException ?? new UserFunctionException(
            $"A completion callback threw: {errors[0].Message} Its operation is done all the same.", errors[0]);
    }
}
