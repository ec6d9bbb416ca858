using Faster.Conformance.Contract;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Models;

/// <summary>The suite's own store: a dictionary under one lock, correct by inspection.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// Thread-safe. It shows that the suite passes a correct store; defective doubles override the virtual members.
/// </remarks>
public class DictionaryStore<TKey, TValue> : IStoreUnderTest<TKey, TValue>
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _values;
    private readonly double _pendingShare;
    private int _sessions;

    /// <summary>Makes an empty store.</summary>
    /// <param name="flavor">What keys and values are.</param>
    /// <param name="pendingShare">The part of the reads and read-modify-writes that go pending.</param>
    public DictionaryStore(Flavor<TKey, TValue> flavor, double pendingShare)
    {
        Flavor = flavor;
        _pendingShare = pendingShare;
        _values = new(flavor.KeyEquality);
    }

    /// <summary>What keys and values are.</summary>
    protected internal Flavor<TKey, TValue> Flavor { get; }

    /// <inheritdoc/>
    public ISessionUnderTest<TKey, TValue> StartSession() =>
        new DictionarySession<TKey, TValue>(this, _pendingShare, Interlocked.Increment(ref _sessions));

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }

    /// <summary>Reads for a session.</summary>
    protected internal virtual ReadResult<TValue> Read(int session, TKey key)
    {
        Interleaving.Point();
        lock (_values) return _values.TryGetValue(key, out TValue? value) ? new(true, value) : default;
    }

    /// <summary>Sets a value for a session.</summary>
    protected internal virtual void Upsert(int session, TKey key, TValue value)
    {
        Interleaving.Point();
        lock (_values) _values[key] = value;
        Interleaving.Point();
    }

    /// <summary>Updates a value for a session.</summary>
    /// <returns>Created or Ok.</returns>
    protected internal virtual Status Rmw(int session, TKey key, TValue input)
    {
        Interleaving.Point();
        lock (_values)
        {
            bool exists = _values.TryGetValue(key, out TValue? old);
            _values[key] = exists ? Flavor.Model.Update(old!, input) : input;
            return exists ? Status.Ok : Status.Created;
        }
    }

    /// <summary>Removes a key for a session.</summary>
    /// <returns>Whether it existed.</returns>
    protected internal virtual bool Delete(int session, TKey key)
    {
        Interleaving.Point();
        lock (_values) return _values.Remove(key);
    }

    /// <summary>Calls the completion callback of a pending operation.</summary>
    protected internal virtual void Tell(PendingTicket<TValue> ticket, Status status, TValue value) =>
        ticket.Tell(status, value, null);

    /// <summary>How many keys of a batch are executed.</summary>
    protected internal virtual int BatchLength(int length) => length;
}
