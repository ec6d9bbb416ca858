using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>One open FASTER store, with what only FASTER has.</summary>
/// <param name="store">The store.</param>
/// <param name="kind">Its parts that have types of key and value.</param>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal sealed class FasterStoreUnderTest<TKey, TValue>(
    Faster.Engines.FasterStore store, KindOfStore<TKey, TValue> kind)
    : StoreUnderTest<TKey, TValue>(store, kind)
{
    /// <summary>Figures.</summary>
    public StoreStatistics Statistics => store.Statistics;

    /// <summary>Copies live records below an address to the tail.</summary>
    public Task<CompactionResult> CompactAsync(long until) => store.CompactAsync(until);

    /// <summary>Truncates the log below an address.</summary>
    public Task TruncateAsync(long until) => store.TruncateAsync(until);

    /// <summary>Commits, with a checkpoint of the index or without.</summary>
    public Task CommitAsync(CommitKind how, bool withIndex) => store.CommitAsync(how, withIndex);

    /// <summary>Scans all live records.</summary>
    public IAsyncEnumerable<(TKey Key, TValue Value)> ScanAsync() => Scans!.ScanAsync(new ScanOptions());

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
    public override async Task<bool> CompactAsync()
    {
        bool hasLog = store.Options.Allocator != RecordAllocatorKind.InMemory;
        if (hasLog) _ = await CompactAsync(Statistics.TailAddress);
        return hasLog;
    }

    /// <summary>Starts a session for the time of a body.</summary>
    public void Use(Action<ISessionUnderTest<TKey, TValue>> body)
    {
        ISessionUnderTest<TKey, TValue> session = StartSession();
        body(session);
        session.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }
}
