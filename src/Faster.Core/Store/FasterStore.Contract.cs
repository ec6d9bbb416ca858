using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Contracts;

namespace Faster.Store;

/// <summary>The capabilities of the FASTER store (docs/internals/engine-contract.md): it has all of them.</summary>
public sealed partial class FasterStore<TProbe>
    : IEngineStore<FasterSession<TProbe>, StoreOptions>,
        ICommitStore<FasterStore<TProbe>, FasterSession<TProbe>, StoreOptions>,
        ILogCommitStore,
        IMergingStore,
        ISubscriptionStore<StoreAnalytics<TProbe>>,
        ICommitScanStore<StoreAnalytics<TProbe>>,
        IHistoryStore<StoreAnalytics<TProbe>>,
        ILogStore<LogScan<TProbe>>,
        IIndexStore,
        IReclaimingStore,
        IFaultStore,
        IStatisticsStore<StoreStatistics>
{
    FasterSession<TProbe> IEngineStore<FasterSession<TProbe>, StoreOptions>.StartSession() => StartSession();

    Task<Commit> ICommitStore<FasterStore<TProbe>, FasterSession<TProbe>, StoreOptions>.CommitAsync(
        CancellationToken cancellationToken) => CommitAsync(cancellationToken: cancellationToken);
}
