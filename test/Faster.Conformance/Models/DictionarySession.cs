using Faster.Conformance.Contract;

namespace Faster.Conformance.Models;

/// <summary>A session of a <see cref="DictionaryStore{TKey, TValue}"/>.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// A seed decides which reads and read-modify-writes go pending, and in which order they complete. They take effect
/// only then, as in a store whose record is on disk.
/// </remarks>
internal sealed class DictionarySession<TKey, TValue>(
    DictionaryStore<TKey, TValue> store, double pendingShare, int number)
    : ISessionUnderTest<TKey, TValue>
    where TKey : notnull
{
    private readonly List<Action> _pending = [];
    private readonly Random _coin = new(number);
    private bool _disposed;

    public Status Read(TKey key, out TValue value, PendingTicket<TValue> ticket)
    {
        ThrowIfDisposed();
        value = default!;
        if (GoesPending(() => ReadPending(key, ticket))) return Status.Pending;
        ReadResult<TValue> result = store.Read(number, key);
        value = result.Value!;
        return result.Found ? Status.Ok : Status.NotFound;
    }

    public Status Upsert(TKey key, TValue value, PendingTicket<TValue> ticket)
    {
        ThrowIfDisposed();
        store.Upsert(number, key, value);
        return Status.Ok;
    }

    public Status Rmw(TKey key, TValue input, PendingTicket<TValue> ticket)
    {
        if (GoesPending(() => RmwPending(key, input, ticket))) return Status.Pending;
        return store.Rmw(number, key, input);
    }

    public Status Delete(TKey key, PendingTicket<TValue> ticket) =>
        store.Delete(number, key) ? Status.Ok : Status.NotFound;

    public bool CompletePending(bool wait)
    {
        while (_pending.Count > 0)
        {
            int next = _coin.Next(_pending.Count);
            Action operation = _pending[next];
            _pending.RemoveAt(next);
            operation();
            if (!wait && _coin.Next(2) == 0) break;
        }

        return _pending.Count == 0;
    }

    public async ValueTask<ReadResult<TValue>> ReadAsync(TKey key)
    {
        if (FlipCoin()) await Task.Yield();
        return store.Read(number, key);
    }

    public ValueTask UpsertAsync(TKey key, TValue value)
    {
        store.Upsert(number, key, value);
        return ValueTask.CompletedTask;
    }

    public async ValueTask<Status> RmwAsync(TKey key, TValue input)
    {
        if (FlipCoin()) await Task.Yield();
        return store.Rmw(number, key, input);
    }

    public ValueTask DeleteAsync(TKey key)
    {
        store.Delete(number, key);
        return ValueTask.CompletedTask;
    }

    public void ReadBatch(ReadOnlySpan<TKey> keys, Span<ReadResult<TValue>> results)
    {
        for (int i = 0; i < store.BatchLength(keys.Length); i++) results[i] = store.Read(number, keys[i]);
    }

    public void UpsertBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values)
    {
        for (int i = 0; i < store.BatchLength(keys.Length); i++) store.Upsert(number, keys[i], values[i]);
    }

    public void RmwBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> inputs)
    {
        for (int i = 0; i < store.BatchLength(keys.Length); i++) _ = store.Rmw(number, keys[i], inputs[i]);
    }

    public void RmwBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> inputs, Span<Status> statuses)
    {
        for (int i = 0; i < store.BatchLength(keys.Length); i++) statuses[i] = store.Rmw(number, keys[i], inputs[i]);
    }

    public void DeleteBatch(ReadOnlySpan<TKey> keys)
    {
        for (int i = 0; i < store.BatchLength(keys.Length); i++) store.Delete(number, keys[i]);
    }

    public ValueTask DisposeAsync()
    {
        CompletePending(wait: true);
        _disposed = true;
        return ValueTask.CompletedTask;
    }

    private bool GoesPending(Action continuation)
    {
        if (!FlipCoin()) return false;
        _pending.Add(continuation);
        return true;
    }

    private void ThrowIfDisposed()
    {
        if (_disposed) throw new SessionMisuseException("The session was disposed of.");
    }

    private bool FlipCoin() => pendingShare > 0 && _coin.NextDouble() < pendingShare;

    private void ReadPending(TKey key, PendingTicket<TValue> ticket)
    {
        ReadResult<TValue> result = store.Read(number, key);
        store.Tell(ticket, result.Found ? Status.Ok : Status.NotFound, result.Value!);
    }

    private void RmwPending(TKey key, TValue input, PendingTicket<TValue> ticket)
    {
        Status status = store.Rmw(number, key, input);
        store.Tell(ticket, status, default!);
    }
}
