using System.Collections.Frozen;

namespace Faster.Tiers;

/// <summary>Counts the internal faults of a store that affected no operation, and raises an event for each.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>At most one thread runs handlers, in the order of the faults.</item>
/// <item>Every fault is counted. At most <see cref="MaxWaiting"/> wait for handlers; further ones raise no
/// event.</item>
/// </list>
/// <para>A fault may be added anywhere, inside an epoch or under a lock: handlers run later, on a thread-pool thread,
/// so that they may call the store. Thread-safe.</para>
/// </remarks>
internal sealed class FaultLog
{
    /// <summary>The number of faults that may wait for slow handlers.</summary>
    public const int MaxWaiting = 1000;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, long> _counts = [];
    private readonly Queue<(object Store, Exception Fault)> _waiting = new();
    private Exception? _last;
    private bool _isTelling;

    /// <summary>Raised for each fault, on a thread-pool thread.</summary>
    public event EventHandler<FaultEventArgs>? Occurred;

    /// <summary>The last fault, or null.</summary>
    public Exception? Last => Volatile.Read(ref _last);

    /// <summary>The number of faults by the name of their type.</summary>
    public IReadOnlyDictionary<string, long> Counts
    {
        get
        {
            lock (_lock) return _counts.ToFrozenDictionary();
        }
    }

    /// <summary>Counts a fault and queues it for the handlers.</summary>
    /// <param name="store">The sender that handlers receive.</param>
    /// <param name="fault">The exception that describes the fault.</param>
    public void Add(object store, Exception fault)
    {
        lock (_lock)
        {
            Count(fault);
            if (Occurred is null || _waiting.Count == MaxWaiting) return;
            _waiting.Enqueue((store, fault));
            if (_isTelling) return;
            _isTelling = true;
        }

        _ = ThreadPool.UnsafeQueueUserWorkItem(static log => log.Tell(), this, preferLocal: false);
    }

    private void Count(Exception fault)
    {
        string kind = fault.GetType().Name;
        _counts[kind] = _counts.GetValueOrDefault(kind) + 1;
        Volatile.Write(ref _last, fault);
    }

    private void Tell()
    {
        for (;;)
        {
            object store;
            FaultEventArgs fault;
            lock (_lock)
            {
                _isTelling = _waiting.TryDequeue(out (object Store, Exception Fault) next);
                if (!_isTelling) return;
                (store, fault) = (next.Store, new FaultEventArgs(next.Fault));
            }

            foreach (EventHandler<FaultEventArgs> handler in Delegate.EnumerateInvocationList(Occurred))
            {
                try
                {
                    handler(store, fault);
                }
                catch (Exception e)
                {
                    lock (_lock) Count(e);
                }
            }
        }
    }
}
