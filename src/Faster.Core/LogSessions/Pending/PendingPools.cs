using System.Collections.Concurrent;
using Microsoft.Extensions.ObjectPool;

namespace Faster.LogSessions.Pending;

/// <summary>
/// A store's pools of pending operations, one for each kind; they end with the store. Thread-safe.
/// </summary>
/// <param name="retained">The number of operations of a kind that are kept for reuse.</param>
internal sealed class PendingPools(int retained)
{
    private readonly ConcurrentDictionary<Type, object> _pools = new();

    /// <summary>The pool of one kind.</summary>
    public ObjectPool<T> Of<T>()
        where T : class, new() => (ObjectPool<T>)_pools.GetOrAdd(
            typeof(T), static (_, most) => new DefaultObjectPool<T>(new DefaultPooledObjectPolicy<T>(), most),
            retained);
}
