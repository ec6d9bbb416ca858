using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;

namespace Faster.Checkpoints.Recovery;

/// <summary>Threads that handle what one other thread reads; the first failure of either ends the work.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Each item is handed to one thread, and released by it, handled or not.</item>
/// <item>After <see cref="Dispose"/> no thread handles an item.</item>
/// </list>
/// <para>Thread-safe, except for <see cref="Dispose"/>.</para>
/// </remarks>
/// <typeparam name="T">The type of items.</typeparam>
internal sealed class RecoveryThreads<T> : IDisposable
{
    private readonly BlockingCollection<T> _items = new(new ConcurrentQueue<T>());
    private readonly Action<int, T> _handle;
    private readonly Action<T> _release;
    private readonly Thread[] _threads;
    private ExceptionDispatchInfo? _failure;
    private bool _disposed;

    /// <summary>Starts the threads.</summary>
    /// <param name="count">The number of threads.</param>
    /// <param name="handle">Handles an item; gets the number of its thread.</param>
    /// <param name="release">Takes back an item whose handling is over, by the same thread.</param>
    public RecoveryThreads(int count, Action<int, T> handle, Action<T> release)
    {
        (_handle, _release) = (handle, release);
        _threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            int number = i;
            _threads[i] = new Thread(() => Run(number)) { IsBackground = true, Name = "Faster recovery" };
            _threads[i].Start();
        }
    }

    /// <summary>Whether anything has failed: what is added from now on is released without being handled.</summary>
    public bool HasFailed => Volatile.Read(ref _failure) is not null;

    /// <summary>Hands out an item.</summary>
    public void Add(T item) => _items.Add(item, CancellationToken.None);

    /// <summary>Ends the work with an exception, unless it has failed before.</summary>
    public void Fail(Exception exception) =>
        Interlocked.CompareExchange(ref _failure, ExceptionDispatchInfo.Capture(exception), null);

    /// <summary>Throws what has failed, if anything has; after <see cref="Dispose"/>.</summary>
    public void ThrowIfFailed() => _failure?.Throw();

    /// <summary>Waits until the threads have handled what was added. Idempotent.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        _items.CompleteAdding();
        foreach (Thread thread in _threads) thread.Join();
        _items.Dispose();
    }

    private void Run(int number)
    {
        foreach (T item in _items.GetConsumingEnumerable())
        {
            try
            {
                if (!HasFailed) _handle(number, item);
            }
            catch (Exception e)
            {
                Fail(e);
            }

            _release(item);
        }
    }
}
