namespace Faster.Conformance.Contract;

/// <summary>
/// One session of an engine, in the suite's words. Rmw updates by the flavor's model: adds or appends.
/// </summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// Used by one caller at a time. A status form that returns <see cref="Status.Pending"/> completes its ticket exactly
/// once, during a later <see cref="CompletePending"/> of the same session; with every other status the ticket is not
/// used.
/// </remarks>
public interface ISessionUnderTest<TKey, TValue> : IAsyncDisposable
{
    /// <summary>Reads; the value is meaningful when the status is <see cref="Status.Ok"/>.</summary>
    Status Read(TKey key, out TValue value, PendingTicket<TValue> ticket);

    /// <summary>Sets the value.</summary>
    Status Upsert(TKey key, TValue value, PendingTicket<TValue> ticket);

    /// <summary>
    /// Whether the status of a read-modify-write always says whether the key existed: false where values are merged
    /// from deltas. There <see cref="Status.Created"/> is exact, and <see cref="Status.Ok"/> says nothing.
    /// </summary>
    bool KnowsCreations => true;

    /// <summary>Updates the value, or makes the input the value of an absent key.</summary>
    /// <returns>
    /// <see cref="Status.Created"/> if the key was absent, <see cref="Status.Ok"/> if it existed, or pending.
    /// </returns>
    Status Rmw(TKey key, TValue input, PendingTicket<TValue> ticket);

    /// <summary>
    /// Removes the key. Returns <see cref="Status.NotFound"/> only if it was absent; a blind delete returns Ok.
    /// </summary>
    Status Delete(TKey key, PendingTicket<TValue> ticket);

    /// <summary>Continues pending operations.</summary>
    /// <param name="wait">Whether to wait until none is left.</param>
    /// <returns>Whether none is left.</returns>
    bool CompletePending(bool wait);

    /// <summary>Reads, and waits for the disk if it must.</summary>
    ValueTask<ReadResult<TValue>> ReadAsync(TKey key);

    /// <summary>Sets the value.</summary>
    ValueTask UpsertAsync(TKey key, TValue value);

    /// <summary>Updates the value.</summary>
    /// <returns>As the status form, but never pending.</returns>
    ValueTask<Status> RmwAsync(TKey key, TValue input);

    /// <summary>Removes the key.</summary>
    ValueTask DeleteAsync(TKey key);

    /// <summary>Reads many keys; all results are there on return.</summary>
    void ReadBatch(ReadOnlySpan<TKey> keys, Span<ReadResult<TValue>> results);

    /// <summary>Sets many values, in order; all are set on return.</summary>
    void UpsertBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> values);

    /// <summary>Updates many values, in order; all are updated on return.</summary>
    void RmwBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> inputs);

    /// <summary>Updates many values, in order; all are updated on return, and their statuses are there.</summary>
    void RmwBatch(ReadOnlySpan<TKey> keys, ReadOnlySpan<TValue> inputs, Span<Status> statuses);

    /// <summary>Removes many keys, in order; all are gone on return.</summary>
    void DeleteBatch(ReadOnlySpan<TKey> keys);

    /// <summary>Announces an operation on a key: without effect.</summary>
    void Prefetch(TKey key)
    {
    }
}

/// <summary>One open store of an engine.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Thread-safe. Its sessions are disposed of first.</remarks>
public interface IStoreUnderTest<TKey, TValue> : IAsyncDisposable
{
    /// <summary>Scans, export and import; null if the store has none.</summary>
    StoreScans<TKey, TValue>? Scans => null;

    /// <summary>Commits and what continues after them; null if the store has none.</summary>
    StoreDurability<TKey, TValue>? Durability => null;

    /// <summary>
    /// The records of a key, newest first, a deletion as one that is not found; null if the store keeps none.
    /// </summary>
    Func<TKey, IAsyncEnumerable<RecordVersion<ReadResult<TValue>>>>? HistoryAsync => null;

    /// <summary>Starts a session.</summary>
    ISessionUnderTest<TKey, TValue> StartSession();

    /// <summary>
    /// Doubles or halves the index; does nothing if that is refused, or if the engine has no index to resize.
    /// </summary>
    Task ResizeIndexAsync(bool grow) => Task.CompletedTask;

    /// <summary>Compacts everything that was written before the call. Thread-safe.</summary>
    /// <returns>False, with nothing done, if the engine has no compaction.</returns>
    Task<bool> CompactAsync() => Task.FromResult(false);

    /// <summary>What the store has done beside operations; null if it keeps no figures.</summary>
    StoreWork? Work => null;
}

/// <summary>What a store has done beside the operations that were issued.</summary>
/// <param name="Growths">How often the index has grown.</param>
/// <param name="Shrinks">How often it has shrunk.</param>
/// <param name="Spilled">Whether a part of the log has left memory.</param>
/// <param name="DiskReads">How many reads of the disk operations have made.</param>
/// <param name="Copied">How many records compaction has copied.</param>
public readonly record struct StoreWork(int Growths, int Shrinks, bool Spilled, long DiskReads, long Copied)
{
    /// <summary>The difference between two moments.</summary>
    public static StoreWork operator -(StoreWork now, StoreWork then) => now with
    {
        Growths = now.Growths - then.Growths, Shrinks = now.Shrinks - then.Shrinks,
        DiskReads = now.DiskReads - then.DiskReads, Copied = now.Copied - then.Copied,
    };
}
