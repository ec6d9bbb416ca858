using Faster.Conformance.Contract;
using Faster.Store;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>
/// One open FASTER store and what it does beside operations, independent of the types of keys and values.
/// </summary>
/// <remarks>
/// Generated stores share no base type, so each passes its members as delegates. Thread-safe, as the store is. Sessions
/// must be disposed of before the store.
/// </remarks>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal sealed class FasterStoreUnderTest<TKey, TValue> : IStoreUnderTest<TKey, TValue>
{
    /// <summary>Starts a session.</summary>
    public required Func<ISessionUnderTest<TKey, TValue>> Start { private get; init; }

    /// <inheritdoc/>
    public StoreScans<TKey, TValue>? Scans { get; init; }

    /// <inheritdoc/>
    public StoreDurability<TKey, TValue>? Durability { get; init; }

    /// <inheritdoc/>
    public Func<TKey, IAsyncEnumerable<RecordVersion<ReadResult<TValue>>>>? HistoryAsync { get; init; }

    /// <summary>Closes it.</summary>
    public required Func<ValueTask> CloseAsync { private get; init; }

    /// <summary>Figures.</summary>
    public required Func<StoreStatistics> Read { private get; init; }

    /// <summary>Doubles the index.</summary>
    public required Func<CancellationToken, Task> GrowAsync { private get; init; }

    /// <summary>Halves the index.</summary>
    public required Func<CancellationToken, Task> ShrinkAsync { private get; init; }

    /// <summary>Copies live records below an address to the tail.</summary>
    public required Func<long, Task<CompactionResult>> CompactAsync { get; init; }

    /// <summary>Truncates the log below an address.</summary>
    public required Func<long, Task> TruncateAsync { get; init; }

    /// <summary>Commits, with a checkpoint of the index or without.</summary>
    public required Func<CommitKind, bool, Task> CommitAsync { get; init; }

    /// <summary>Scans all live records.</summary>
    public required Func<IAsyncEnumerable<(TKey Key, TValue Value)>> ScanAsync { get; init; }

    /// <summary>Whether it has a log; a store in memory only has nothing to compact.</summary>
    public required bool HasLog { private get; init; }

    /// <summary>Figures.</summary>
    public StoreStatistics Statistics => Read();

    /// <inheritdoc/>
    public StoreWork? Work
    {
        get
        {
            StoreStatistics now = Statistics;
            return new StoreWork(
                now.IndexGrowths, now.IndexShrinks, now.HeadAddress > now.BeginAddress, now.DiskReads,
                now.RecordsCopied);
        }
    }

    /// <inheritdoc/>
    public Task ResizeIndexAsync(bool grow) => FasterShapes.TryResizeAsync(grow ? GrowAsync : ShrinkAsync);

    /// <summary>
    /// Doubles or halves the index unless that is refused; an index of the smallest size is doubled before it is
    /// halved.
    /// </summary>
    public async Task ResizeAsync(bool grow)
    {
        int shrinks = Statistics.IndexShrinks;
        await ResizeIndexAsync(grow);
        if (grow || Statistics.IndexShrinks > shrinks) return;
        await ResizeIndexAsync(grow: true);
        await ResizeIndexAsync(grow: false);
    }

    /// <inheritdoc/>
    async Task<bool> IStoreUnderTest<TKey, TValue>.CompactAsync()
    {
        if (HasLog) _ = await CompactAsync(Statistics.TailAddress);
        return HasLog;
    }

    /// <inheritdoc/>
    public ISessionUnderTest<TKey, TValue> StartSession() => Start();

    /// <summary>Starts a session for the time of a body.</summary>
    public void Use(Action<ISessionUnderTest<TKey, TValue>> body)
    {
        ISessionUnderTest<TKey, TValue> session = StartSession();
        body(session);
        session.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => CloseAsync();
}
