using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Contracts;

namespace Faster.Store;

/// <summary>The capabilities of the FASTER store (docs/internals/engine-contract.md): it has all of them.</summary>
public sealed partial class FasterStore
    : IEngineStore<FasterSession, StoreOptions>,
        ICommitStore<FasterStore, FasterSession, StoreOptions>,
        ILogCommitStore,
        IMergingStore,
        ISubscriptionStore<StoreAnalytics>,
        ICommitScanStore<StoreAnalytics>,
        IHistoryStore<StoreAnalytics>,
        ILogStore<LogScan>,
        IIndexStore,
        IReclaimingStore,
        IFaultStore,
        IStatisticsStore<StoreStatistics>
{
    FasterSession IEngineStore<FasterSession, StoreOptions>.StartSession() => StartSession();

    Task<Commit> ICommitStore<FasterStore, FasterSession, StoreOptions>.CommitAsync(
        CancellationToken cancellationToken) => CommitAsync(cancellationToken: cancellationToken);
}
