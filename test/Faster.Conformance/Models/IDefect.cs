using System.Collections.Concurrent;
using Faster.Conformance.Contract;

namespace Faster.Conformance.Models;

/// <summary>A way for a store to be wrong.</summary>
internal interface IDefect
{
    /// <summary>Makes a store with the defect.</summary>
    static abstract DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull;
}

/// <summary>Reads and writes back without a lock in between: an update by another session is lost.</summary>
internal sealed class LosesUpdates : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        private int _count;

        protected internal override Status Rmw(int session, TKey key, TValue input)
        {
            ReadResult<TValue> old = Read(session, key);
            if (Interlocked.Increment(ref _count) % 8 == 0) Thread.Yield();
            Thread.Yield();
            Upsert(session, key, old.Found ? Flavor.Model.Update(old.Value, input) : input);
            return old.Found ? Status.Ok : Status.Created;
        }
    }
}

/// <summary>Each session keeps what it read, and returns it again although others have written since.</summary>
internal sealed class ReadsStale : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        private readonly ConcurrentDictionary<int, Dictionary<TKey, ReadResult<TValue>>> _caches = new();

        protected internal override ReadResult<TValue> Read(int session, TKey key)
        {
            Dictionary<TKey, ReadResult<TValue>> cache = CacheOf(session);
            lock (cache) return cache.TryGetValue(key, out var cached) ? cached : cache[key] = base.Read(session, key);
        }

        protected internal override void Upsert(int session, TKey key, TValue value)
        {
            base.Upsert(session, key, value);
            Forget(session, key);
        }

        protected internal override Status Rmw(int session, TKey key, TValue input)
        {
            Status status = base.Rmw(session, key, input);
            Forget(session, key);
            return status;
        }

        protected internal override bool Delete(int session, TKey key)
        {
            Forget(session, key);
            return base.Delete(session, key);
        }

        private Dictionary<TKey, ReadResult<TValue>> CacheOf(int session) =>
            _caches.GetOrAdd(session, _ => new(Flavor.KeyEquality));

        private void Forget(int session, TKey key)
        {
            Dictionary<TKey, ReadResult<TValue>> cache = CacheOf(session);
            lock (cache) cache.Remove(key);
        }
    }
}

/// <summary>Every third delete does nothing, and says that it did.</summary>
internal sealed class DropsDeletes : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        private int _count;

        protected internal override bool Delete(int session, TKey key) =>
            Interlocked.Increment(ref _count) % 3 == 0 || base.Delete(session, key);
    }
}

/// <summary>A read-modify-write after a delete updates the deleted value.</summary>
internal sealed class RaisesTheDead : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        private readonly ConcurrentDictionary<TKey, TValue> _dead = new(flavor.KeyEquality);

        protected internal override bool Delete(int session, TKey key)
        {
            ReadResult<TValue> old = Read(session, key);
            if (old.Found) _dead[key] = old.Value;
            return base.Delete(session, key);
        }

        protected internal override Status Rmw(int session, TKey key, TValue input)
        {
            if (!_dead.TryRemove(key, out TValue? dead)) return base.Rmw(session, key, input);
            Upsert(session, key, dead);
            _ = base.Rmw(session, key, input);
            return Status.Created;
        }
    }
}

/// <summary>Calls the completion callback of a pending operation twice.</summary>
internal sealed class TellsTwice : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        protected internal override void Tell(PendingTicket<TValue> ticket, Status status, TValue value)
        {
            base.Tell(ticket, status, value);
            base.Tell(ticket, status, value);
        }
    }
}

/// <summary>Never calls the completion callback.</summary>
internal sealed class TellsNever : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        protected internal override void Tell(PendingTicket<TValue> ticket, Status status, TValue value) { }
    }
}

/// <summary>Omits the last key of long batches.</summary>
internal sealed class CutsBatches : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        protected internal override int BatchLength(int length) => length > 16 ? length - 1 : length;
    }
}

/// <summary>Forgets the oldest records once there are many.</summary>
internal sealed class ForgetsTheCold : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        private readonly ConcurrentQueue<TKey> _written = new();

        protected internal override void Upsert(int session, TKey key, TValue value)
        {
            base.Upsert(session, key, value);
            _written.Enqueue(key);
            if (_written.Count > 600 && _written.TryDequeue(out TKey? coldest)) base.Delete(session, coldest);
        }
    }
}

/// <summary>A read-modify-write of a deleted key says that it has updated a record.</summary>
internal sealed class ForgetsDeletes : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        private readonly ConcurrentDictionary<TKey, bool> _deleted = new(flavor.KeyEquality);

        protected internal override bool Delete(int session, TKey key)
        {
            _deleted[key] = true;
            return base.Delete(session, key);
        }

        protected internal override Status Rmw(int session, TKey key, TValue input)
        {
            Status status = base.Rmw(session, key, input);
            return _deleted.ContainsKey(key) ? Status.Ok : status;
        }
    }
}

/// <summary>Looks whether the key exists before the update: of two that race to create it, both say so.</summary>
internal sealed class LooksTooEarly : IDefect
{
    public static DictionaryStore<TKey, TValue> New<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        where TKey : notnull => new Store<TKey, TValue>(flavor, pendingShare);

    private sealed class Store<TKey, TValue>(Flavor<TKey, TValue> flavor, double pendingShare)
        : DictionaryStore<TKey, TValue>(flavor, pendingShare)
        where TKey : notnull
    {
        protected internal override Status Rmw(int session, TKey key, TValue input)
        {
            bool exists = Read(session, key).Found;
            Thread.Yield();
            _ = base.Rmw(session, key, input);
            return exists ? Status.Ok : Status.Created;
        }
    }
}
