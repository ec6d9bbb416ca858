using Faster.Contracts;
using Faster.Invariants;

namespace Faster.Analytics.Scans;

/// <summary>
/// Keeps a store's memory and device open while a scan or a subscription uses them, and ends scans and subscriptions
/// when the store closes.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>After <see cref="Close"/> has returned, no reader is inside, and none will enter.</item>
/// <item>A reader is inside while it reads one page or one record, never while it waits for more.</item>
/// <item>The number of readers inside is never negative.</item>
/// </list>
/// <para>Thread-safe: a short lock.</para>
/// </remarks>
internal sealed class ReaderGuard
{
    private readonly object _lock = new();
    private readonly Action _end;
    private int _inside;
    private bool _closed;

    /// <summary>Creates a guard that readers may enter.</summary>
    public ReaderGuard()
    {
        var closing = new CancellationTokenSource(); // has no timer, so needs no disposal
        Closing = closing.Token;
        _end = () => _ = closing.CancelAsync(); // the closing thread runs no continuations
    }

    /// <summary>Canceled when the store closes.</summary>
    public CancellationToken Closing { get; }

    /// <summary>Enters the guard; the caller must call <see cref="Leave"/>.</summary>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public void Enter()
    {
        lock (_lock)
        {
            ClosedStore.ThrowIf(_closed);
            _inside++;
        }
    }

    /// <summary>Leaves the guard, once per <see cref="Enter"/>.</summary>
    public void Leave()
    {
        lock (_lock)
        {
            Invariant.Check(_inside > 0, $"a reader leaves after it has entered; {_inside} are inside");
            if (--_inside == 0 && _closed) Monitor.PulseAll(_lock);
        }
    }

    /// <summary>Rejects new readers, cancels waiting ones, and returns when no reader is inside.</summary>
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
