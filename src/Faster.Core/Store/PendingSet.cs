using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Faster.Contracts;

namespace Faster;

/// <summary>A session's operations that wait for the disk: how many, which can go on, and what has failed.</summary>
/// <remarks>Thread-safe; continuing and waiting is the session's owner's part.</remarks>
internal sealed class PendingSet<TProbe>
    where TProbe : struct, IProbe
{
    private readonly ConcurrentQueue<PendingOperation<TProbe>> _ready = new();
    private readonly ConcurrentQueue<PendingOperation<TProbe>> _done = new();
    private readonly Dictionary<long, long> _waiting = []; // serial number → version of acceptance; relaxed only
    private readonly Dictionary<long, long> _late = [];    // serial number → version of the effect
    private readonly bool _tracks;
    private readonly ReadySignal _signal = new();
    private readonly List<Exception> _errors = [];
    private int _count;

    /// <summary>None waits.</summary>
    /// <param name="order">Whether commits must know which operations they leave out.</param>
    public PendingSet(PendingOrder order) => _tracks = order == PendingOrder.Relaxed;

    /// <summary>How many operations wait.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>An operation has gone pending.</summary>
    public void OnBegun(PendingOperation<TProbe> operation)
    {
        Interlocked.Increment(ref _count);
        if (!_tracks) return;
        lock (_waiting) _waiting[operation.Serial] = operation.Version;
    }

    /// <summary>Whether operations were carried out in a later version than that of their acceptance.</summary>
    public bool HasLate
    {
        get
        {
            lock (_waiting) return _late.Count != 0;
        }
    }

    /// <summary>Takes over what an ended session of the same name has carried out late.</summary>
    public void Adopt(PendingSet<TProbe> ended)
    {
        lock (ended._waiting)
        {
            foreach ((long serial, long version) in ended._late) _late[serial] = version;
        }
    }

    /// <summary>An operation is carried out in a version, maybe a later one than that of its acceptance.</summary>
    public void Settle(long serial, long accepted, long version)
    {
        lock (_waiting)
        {
            _waiting.Remove(serial);
            if (version > accepted) _late[serial] = version;
        }
    }

    /// <summary>
    /// The serial numbers up to a commit point whose effects the commit of a version leaves out, ascending.
    /// </summary>
    public IReadOnlyList<long> ExcludedFrom(long version, long point)
    {
        if (!_tracks) return [];
        lock (_waiting)
        {
            foreach (long old in _late.Where(late => late.Value <= version).Select(late => late.Key).ToArray())
                _late.Remove(old);
            return [.. _waiting.Keys.Concat(_late.Keys).Where(serial => serial <= point).Order()];
        }
    }

    /// <summary>An operation can be continued.</summary>
    public void AddReady(PendingOperation<TProbe> operation)
    {
        _ready.Enqueue(operation);
        _signal.Set();
    }

    /// <summary>Another thread has carried out an operation: its outcome is to be told.</summary>
    public void AddDone(PendingOperation<TProbe> operation)
    {
        _done.Enqueue(operation);
        _signal.Set();
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
            lock (_errors) _errors.Add(error);
        }

        Interlocked.Decrement(ref _count);
        _signal.Set();
    }

    /// <summary>Continues what can be continued.</summary>
    public void ContinueReady(FasterSession<TProbe> session)
    {
        while (_ready.TryDequeue(out PendingOperation<TProbe>? operation)) operation.ResumeOn(session);
        while (_done.TryDequeue(out PendingOperation<TProbe>? done)) done.Deliver();
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
    public Task WaitForReadyAsync() => _signal.WaitAsync(() => !_ready.IsEmpty || !_done.IsEmpty || Count == 0);

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
