using Faster.Contracts;

namespace Faster.Analytics;

/// <summary>
/// Keeps a store's memory and device in place while a scan or a subscription uses them, and ends these when the store
/// closes.
/// </summary>
/// <remarks>
/// Invariant: when <see cref="Close"/> has returned nobody is inside, and nobody will be. A reader is inside for the
/// time of one page or one record, never while it waits for more. Thread-safe.
/// </remarks>
internal sealed class ReaderGuard
{
    private readonly object _lock = new();
    private readonly Action _end;
    private int _inside;
    private bool _closed;

    /// <summary>Lets everybody in.</summary>
    public ReaderGuard()
    {
        var closing = new CancellationTokenSource(); // without a timer there is nothing to dispose of
        Closing = closing.Token;
        _end = () => _ = closing.CancelAsync(); // what those who wait do next is not run by the closer
    }

    /// <summary>Cancelled when the store closes.</summary>
    public CancellationToken Closing { get; }

    /// <summary>Enters; <see cref="Leave"/> follows.</summary>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public void Enter()
    {
        lock (_lock)
        {
            ClosedStore.ThrowIf(_closed);
            _inside++;
        }
    }

    /// <summary>Leaves.</summary>
    public void Leave()
    {
        lock (_lock)
        {
            if (--_inside == 0 && _closed) Monitor.PulseAll(_lock);
        }
    }

    /// <summary>Lets nobody in any more, ends those who wait, and returns when nobody is inside.</summary>
    public void Close()
    {
        lock (_lock) _closed = true;
        _end();
        lock (_lock)
        {
            while (_inside != 0) Monitor.Wait(_lock);
        }
    }
}
