using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>One open FASTER store with all that it does beside operations, whatever its keys and values are.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <remarks>Thread-safe, as the store is. Sessions are disposed of first.</remarks>
internal sealed class CoherentStore<TKey, TValue>(IStoreUnderTest<TKey, TValue> store) : IAsyncDisposable
{
    /// <summary>Figures.</summary>
    public required Func<StoreStatistics> Read { private get; init; }

    /// <summary>Copies what lives below an address to the tail.</summary>
    public required Func<long, Task<CompactionResult>> CompactAsync { get; init; }

    /// <summary>Gives up what lies below an address.</summary>
    public required Func<long, Task> TruncateAsync { get; init; }

    /// <summary>Commits, with a checkpoint of the index or without.</summary>
    public required Func<CommitKind, bool, Task> CommitAsync { get; init; }

    /// <summary>All that is live.</summary>
    public required Func<IAsyncEnumerable<(TKey Key, TValue Value)>> ScanAsync { get; init; }

    /// <summary>Figures.</summary>
    public StoreStatistics Statistics => Read();

    /// <summary>Doubles the index, or halves it, if it can be; one as small as can be is doubled first.</summary>
    public async Task ResizeAsync(bool grow)
    {
        int shrinks = Statistics.IndexShrinks;
        await store.ResizeIndexAsync(grow);
        if (grow || Statistics.IndexShrinks > shrinks) return;
        await store.ResizeIndexAsync(grow: true);
        await store.ResizeIndexAsync(grow: false);
    }

    /// <summary>Starts a session.</summary>
    public ISessionUnderTest<TKey, TValue> StartSession() => store.StartSession();

    /// <summary>Starts a session for the time of a body.</summary>
    public void Use(Action<ISessionUnderTest<TKey, TValue>> body)
    {
        ISessionUnderTest<TKey, TValue> session = store.StartSession();
        body(session);
        session.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();
}
