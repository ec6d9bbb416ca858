using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>One open FASTER store with all that it does beside operations, whatever its keys and values are.</summary>
/// <remarks>
/// Generated stores have no type in common, so each hands its members over. Thread-safe, as the store is. Sessions are
/// disposed of first.
/// </remarks>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal sealed class FasterStoreUnderTest<TKey, TValue> : IStoreUnderTest<TKey, TValue>
{
    /// <summary>Starts a session.</summary>
    public required Func<ISessionUnderTest<TKey, TValue>> Start { private get; init; }

    /// <summary>Closes it.</summary>
    public required Func<ValueTask> CloseAsync { private get; init; }

    /// <summary>Figures.</summary>
    public required Func<StoreStatistics> Read { private get; init; }

    /// <summary>Doubles the index.</summary>
    public required Func<CancellationToken, Task> GrowAsync { private get; init; }

    /// <summary>Halves the index.</summary>
    public required Func<CancellationToken, Task> ShrinkAsync { private get; init; }

    /// <summary>Copies what lives below an address to the tail.</summary>
    public required Func<long, Task<CompactionResult>> CompactAsync { get; init; }

    /// <summary>Gives up what lies below an address.</summary>
    public required Func<long, Task> TruncateAsync { get; init; }

    /// <summary>Commits, with a checkpoint of the index or without.</summary>
    public required Func<CommitKind, bool, Task> CommitAsync { get; init; }

    /// <summary>All that is live.</summary>
    public required Func<IAsyncEnumerable<(TKey Key, TValue Value)>> ScanAsync { get; init; }

    /// <summary>Whether it has a log; one that is in memory only has nothing to compact.</summary>
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

    /// <summary>Doubles the index, or halves it, if it can be; one as small as can be is doubled first.</summary>
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
