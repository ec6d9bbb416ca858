using Faster.Checkpoints;
using Faster.Compaction;
using Faster.Compaction.Copying;
using Faster.Compaction.Expiry;
using Faster.Compaction.Lookups;
using Faster.Compaction.Truncation;
using Faster.Index.Entries;
using Faster.Opening;
using Faster.Stores;
using Faster.Tiers;

namespace Faster.Engines;

/// <summary>The log of a store of one tier, with all that reclaims its space.</summary>
/// <remarks>Thread-safe, except for <see cref="Start"/> and disposal, which the store calls.</remarks>
/// <param name="tier">The tier; nothing runs before <see cref="Start"/>.</param>
/// <param name="plan">Its plan.</param>
internal sealed class LogReclamation(Tier tier, StorePlan plan)
    : TierLog(CommittedLog.Main, tier, plan, truncation => CopierOf(tier, truncation)), IDisposable
{
    private readonly ExpiryFile? _expiryFile = ExpiryFile.Of(plan, CommittedLog.Main);
    private DiskBudgetCompactor? _compactor;
    private ExpiredLogCompactor? _expiries;

    /// <summary>Whether the live data do not fit the disk budget.</summary>
    public bool IsExceeded => _compactor?.IsExceeded == true;

    /// <summary>Starts the search for expired records, and the disk-budget compactor if there is a budget.</summary>
    /// <param name="commit">
    /// Commits until the space that was truncated is released; nothing in a store that does not commit.
    /// </param>
    public void Start(Func<Task> commit)
    {
        Truncation.Start();
        _expiries = new ExpiredLogCompactor(Tier, Truncation, _expiryFile) { Commit = commit };
        _expiries.Start();
        if (Tier.Core.Options.DiskBudget.Bytes == 0) return;
        _compactor = new DiskBudgetCompactor(
            Tier, Truncation, Space, Tier.Core.Options.DiskBudget,
            $"{nameof(StoreOptions)}.{nameof(StoreOptions.DiskBudget)}")
        {
            Commit = commit,
        };
        _compactor.Start();
    }

    /// <summary>Stops what is under way, and waits for its end. Called before the coordinator is closed.</summary>
    public void Dispose()
    {
        _expiries?.Stop();
        Truncation.Dispose();
        _expiries?.Dispose();
        _compactor?.Dispose();
    }

    private static ILiveRecordCopier CopierOf(Tier tier, LogTruncation truncation)
    {
        MemoryPlan plan = tier.Core.MemoryPlan;
        var route = CopyRoute.Of(truncation, tier, tier);
        ILiveRecordCopier WithLookups(long bytes) =>
            new LiveRecordCopier(route, DirectCopy.Of<HashEntries>(tier, bytes));

        bool mayBorrow = plan.LookupLoan != 0 && tier.Schema.Merger is null;
        return mayBorrow
            ? new BorrowedLookups(route, plan.LookupLoan, WithLookups)
            : WithLookups(plan.LookupBytes / route.Threads);
    }
}
