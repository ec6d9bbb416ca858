using System.Collections.Frozen;

namespace Faster;

/// <summary>The internal faults of a store that concerned no operation: counted, and told to whoever listens.</summary>
/// <remarks>
/// A fault may be added anywhere, inside an epoch or under a lock: handlers run later, on a thread of the pool, so that
/// they may call the store. Invariant: at most one thread runs handlers, in the order of the faults. At most
/// <see cref="MostWaiting"/> faults wait for them; of those beyond, handlers hear nothing, the counts do. Thread-safe.
/// </remarks>
internal sealed class FaultLog
{
    /// <summary>How many faults may wait for slow handlers.</summary>
    public const int MostWaiting = 1000;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, long> _counts = [];
    private readonly Queue<(object Store, Exception Fault)> _waiting = new();
    private Exception? _last;
    private bool _isTelling;

    /// <summary>Raised for each fault.</summary>
    public event EventHandler<FaultEventArgs>? Occurred;

    /// <summary>The last one, or null.</summary>
    public Exception? Last => Volatile.Read(ref _last);

    /// <summary>How many there were, by the name of their type.</summary>
    public IReadOnlyDictionary<string, long> Counts
    {
        get
        {
            lock (_lock) return _counts.ToFrozenDictionary();
        }
    }

    /// <summary>Counts a fault, and has it told.</summary>
    /// <param name="store">The store, for handlers.</param>
    /// <param name="fault">The fault.</param>
    public void Add(object store, Exception fault)
    {
        lock (_lock)
        {
            Count(fault);
            if (Occurred is null || _waiting.Count == MostWaiting) return;
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
