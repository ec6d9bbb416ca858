using Faster.Conformance.Contract;
using Faster.Conformance.Engines.FasterStore;
using Faster.Contracts;
using Faster.Stores;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>One open store of any engine, with what it does beside operations.</summary>
/// <remarks>Thread-safe, as the store is. Sessions must be disposed of before the store.</remarks>
/// <param name="store">The store.</param>
/// <param name="kind">Its parts that have types of key and value.</param>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
internal class StoreUnderTest<TKey, TValue>(IStore store, KindOfStore<TKey, TValue> kind)
    : IStoreUnderTest<TKey, TValue>
{
    /// <inheritdoc/>
    public StoreScans<TKey, TValue>? Scans => kind.ScanAsync is null ? null : new(
        kind.ScanAsync, to => store.ExportAsync(to), from => store.ImportAsync(from),
        store is CommittingStore { Core.Publisher: not null } committing ? committing.RequestCommitAsync : null);

    /// <inheritdoc/>
    public StoreDurability<TKey, TValue>? Durability => store is not CommittingStore committing ? null : new(
        (how, withIndex) => Log?.CommitAsync(how, withIndex) ?? committing.RequestCommitAsync(),
        () => ((ICommitScanStore)store).ScannableCommits, Continue);

    /// <inheritdoc/>
    public Func<TKey, IAsyncEnumerable<RecordVersion<ReadResult<TValue>>>>? HistoryAsync => kind.HistoryAsync;

    /// <inheritdoc/>
    public StoreWork? Work => Log?.Statistics switch
    {
        StoreStatistics one => new StoreWork(
            one.IndexGrowths, one.IndexShrinks, one.HeadAddress > one.BeginAddress, one.DiskReads, one.RecordsCopied),
        TieredStatistics two => new StoreWork(
            two.HotIndexGrowths, two.HotIndexShrinks, two.HotCompactions > 0, two.DiskReads + two.ColdIndexReads,
            two.RecordsMoved),
        _ => null,
    };

    private LogStore? Log => store as LogStore;

    /// <inheritdoc/>
    public ISessionUnderTest<TKey, TValue> StartSession() => kind.Start(null);

    /// <inheritdoc/>
    public Task ResizeIndexAsync(bool grow) => Log is { } log
        ? FasterShapes.TryResizeAsync(grow ? log.GrowIndexAsync : log.ShrinkIndexAsync)
        : Task.CompletedTask;

    /// <inheritdoc/>
    public virtual Task<bool> CompactAsync() => Task.FromResult(false);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    private NamedSession<TKey, TValue> Continue(string name)
    {
        ISessionUnderTest<TKey, TValue> session = kind.Start(name);
        ICommittingSession named = ((INamedSession)session).Named;
        return new(session, named.RecoveredPoint, named.BeginUnit);
    }
}
