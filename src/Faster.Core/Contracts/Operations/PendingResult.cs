using System.Threading.Tasks.Sources;
using Microsoft.Extensions.ObjectPool;

namespace Faster.Contracts;

/// <summary>
/// What the caller of an operation that went pending awaits: pooled, completed once by the operation, cancelled at most
/// once by the caller's token. Cancelling ends the waiting, never the operation.
/// </summary>
/// <typeparam name="T">The result's type.</typeparam>
/// <remarks>
/// Thread-safe between one operation and one waiter. Both hold the object; the one that lets go last puts it back into
/// the pool, so neither can meet it in its next life. Continuations never run on the completing thread, which may hold
/// the session. A waiter that never awaits leaves the object to the garbage collector.
/// </remarks>
public sealed class PendingResult<T> : IValueTaskSource<T>
{
    private const int Retained = 4096;

    private static readonly DefaultObjectPool<PendingResult<T>> Pool =
        new(new DefaultPooledObjectPolicy<PendingResult<T>>(), Retained);

    private ManualResetValueTaskSourceCore<T> _core;
    private CancellationTokenRegistration _registration;
    private int _holders;
    private int _signalled;

    /// <summary>Makes a result outside the pool; use <see cref="Rent"/>.</summary>
    public PendingResult() => _core.RunContinuationsAsynchronously = true;

    /// <summary>Takes a result from the pool, held by one operation and one waiter.</summary>
    public static PendingResult<T> Rent()
    {
        PendingResult<T> result = Pool.Get();
        result._holders = 2;
        return result;
    }

    /// <summary>What the caller awaits, once.</summary>
    /// <param name="cancellationToken">Ends the waiting.</param>
    public ValueTask<T> WaitAsync(CancellationToken cancellationToken = default)
    {
        short version = _core.Version;
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                static (state, token) => ((PendingResult<T>)state!).Cancel(token), this);
        }

        return new ValueTask<T>(this, version);
    }

    /// <summary>The operation is done: tells the waiter, if it still waits. Called once.</summary>
    /// <param name="result">The outcome, when there is no error.</param>
    /// <param name="error">Why the operation failed, or null.</param>
    public void Complete(T result, Exception? error)
    {
        if (Interlocked.Exchange(ref _signalled, 1) == 0)
        {
            if (error is null) _core.SetResult(result);
            else _core.SetException(error);
        }

        LetGo();
    }

    /// <summary>The outcome of an operation that is known to be done, in place of awaiting it.</summary>
    /// <exception cref="InvalidOperationException">The operation is not done.</exception>
    public T TakeResult() => GetResult(_core.Version);

    /// <inheritdoc/>
    public T GetResult(short token)
    {
        // Not yet done is a caller's mistake: it must not let go of what the operation will still complete.
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
            throw new InvalidOperationException("The operation is not done. Await its ValueTask, and only once.");
        _registration.Dispose(); // afterwards no cancellation can touch this object
        _registration = default;
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            LetGo();
        }
    }

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Cancel(CancellationToken token)
    {
        if (Interlocked.Exchange(ref _signalled, 1) == 0) _core.SetException(new OperationCanceledException(token));
    }

    private void LetGo()
    {
        if (Interlocked.Decrement(ref _holders) != 0) return;
        _core.Reset();
        _signalled = 0;
        Pool.Return(this);
    }
}
