using System.ComponentModel;
using System.Threading.Tasks.Sources;
using Microsoft.Extensions.ObjectPool;

namespace Faster.Contracts;

/// <summary>
/// The result that the caller of a pending operation awaits. It is pooled, completed once by the operation, and
/// canceled at most once by the caller's token. Cancellation ends the wait, never the operation.
/// </summary>
/// <typeparam name="T">The result's type.</typeparam>
/// <remarks>
/// Thread-safe for one operation and one waiter. Both hold the object; the last one to release it returns it to the
/// pool, so neither can access it after reuse. Continuations never run on the completing thread, which may hold the
/// session. If the waiter never awaits, the garbage collector reclaims the object.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class AwaitableResult<T> : IValueTaskSource<T>
{
    private const int Retained = 4096;

    private static readonly DefaultObjectPool<AwaitableResult<T>> Pool =
        new(new DefaultPooledObjectPolicy<AwaitableResult<T>>(), Retained);

    private ManualResetValueTaskSourceCore<T> _core;
    private CancellationTokenRegistration _registration;
    private int _holders;
    private int _signalled;

    /// <summary>Creates a result for the pool; call <see cref="Rent"/> instead.</summary>
    public AwaitableResult() => _core.RunContinuationsAsynchronously = true;

    /// <summary>Rents a result from the pool, held by one operation and one waiter.</summary>
    public static AwaitableResult<T> Rent()
    {
        AwaitableResult<T> result = Pool.Get();
        result._holders = 2;
        return result;
    }

    /// <summary>Returns the task that the caller awaits, once.</summary>
    /// <param name="cancellationToken">Ends the wait, not the operation.</param>
    public ValueTask<T> WaitAsync(CancellationToken cancellationToken = default)
    {
        short version = _core.Version;
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                static (state, token) => ((AwaitableResult<T>)state!).Cancel(token), this);
        }

        return new ValueTask<T>(this, version);
    }

    /// <summary>Completes the wait, unless it was canceled. The operation calls this once, when it is done.</summary>
    /// <param name="result">The outcome, if there is no error.</param>
    /// <param name="error">Why the operation failed, or null.</param>
    public void Complete(T result, Exception? error)
    {
        if (Interlocked.Exchange(ref _signalled, 1) == 0)
        {
            if (error is null) _core.SetResult(result);
            else _core.SetException(error);
        }

        Release();
    }

    /// <summary>Returns the outcome of an operation that is known to be done, instead of awaiting it.</summary>
    /// <exception cref="InvalidOperationException">The operation is not done.</exception>
    public T TakeResult() => GetResult(_core.Version);

    /// <inheritdoc/>
    public T GetResult(short token)
    {
        // Calling this too early is a caller's error; it must not release an object that the operation will still
        // complete.
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
            Release();
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

    private void Release()
    {
        if (Interlocked.Decrement(ref _holders) != 0) return;
        _core.Reset();
        _signalled = 0;
        Pool.Return(this);
    }
}
