namespace Faster.Conformance.Contract;

/// <summary>
/// One session of an engine, in the suite's words. Rmw updates by the flavour's model: adds or appends.
/// </summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// Used by one caller at a time. A status form that returns <see cref="Status.Pending"/> tells its ticket exactly once,
/// during a later <see cref="CompletePending"/> of the same session; every other status tells no ticket.
/// </remarks>
public interface ISessionUnderTest<TKey, TValue> : IAsyncDisposable
{
    /// <summary>Reads; the value is meaningful when the status is <see cref="Status.Ok"/>.</summary>
    Status Read(TKey key, out TValue value, PendingTicket<TValue> ticket);

    /// <summary>Sets the value.</summary>
    Status Upsert(TKey key, TValue value, PendingTicket<TValue> ticket);

    /// <summary>Updates the value, or makes the input the value of an absent key.</summary>
    Status Rmw(TKey key, TValue input, PendingTicket<TValue> ticket);

    /// <summary>
    /// Removes the key. <see cref="Status.NotFound"/> only when it was absent; a blind delete says Ok.
    /// </summary>
    Status Delete(TKey key, PendingTicket<TValue> ticket);

    /// <summary>Continues pending operations.</summary>
    /// <param name="wait">Whether to wait until none is left.</param>
    /// <returns>Whether none is left.</returns>
    bool CompletePending(bool wait);

    /// <summary>Reads, however long it takes.</summary>
    ValueTask<ReadResult<TValue>> ReadAsync(TKey key);

    /// <summary>Sets the value.</summary>
    ValueTask UpsertAsync(TKey key, TValue value);

    /// <summary>Updates the value.</summary>
    ValueTask RmwAsync(TKey key, TValue input);

    /// <summary>Removes the key.</summary>
    ValueTask DeleteAsync(TKey key);

    /// <summary>Reads many keys; all results are there on return.</summary>
    void ReadBatch(ReadOnlySpan<TKey> keys, Span<ReadResult<TValue>> results);

    /// <summary>Sets many values, in order; all are set on return.</summary>
    void UpsertBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values);

    /// <summary>Updates many values, in order; all are updated on return.</summary>
    void RmwBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> inputs);

    /// <summary>Removes many keys, in order; all are gone on return.</summary>
    void DeleteBatch(ReadOnlySpan<TKey> keys);
}

/// <summary>One open store of an engine.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Thread-safe. Its sessions are disposed of first.</remarks>
public interface IStoreUnderTest<TKey, TValue> : IAsyncDisposable
{
    /// <summary>Starts a session.</summary>
    ISessionUnderTest<TKey, TValue> StartSession();

    /// <summary>
    /// Doubles the index, or halves it; does nothing where it can't be, or where there is none to resize.
    /// </summary>
    Task ResizeIndexAsync(bool grow) => Task.CompletedTask;

    /// <summary>
    /// Collects garbage, of all that was written before the call. Thread-safe.
    /// </summary>
    /// <returns>False, and nothing is done, where the engine has none.</returns>
    Task<bool> CompactAsync() => Task.FromResult(false);

    /// <summary>What the store has done beside operations; null when it does not tell.</summary>
    StoreWork? Work => null;
}

/// <summary>What a store has done beside the operations that were asked.</summary>
/// <param name="Growths">How often the index has grown.</param>
/// <param name="Shrinks">How often it has shrunk.</param>
/// <param name="Spilled">Whether a part of the log has left memory.</param>
/// <param name="DiskReads">How many reads of the disk operations have asked for.</param>
/// <param name="Copied">How many records compaction has copied.</param>
public readonly record struct StoreWork(int Growths, int Shrinks, bool Spilled, long DiskReads, long Copied)
{
    /// <summary>What was done since then.</summary>
    public static StoreWork operator -(StoreWork now, StoreWork then) => now with
    {
        Growths = now.Growths - then.Growths, Shrinks = now.Shrinks - then.Shrinks,
        DiskReads = now.DiskReads - then.DiskReads, Copied = now.Copied - then.Copied,
    };
}
