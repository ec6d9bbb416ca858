using Faster.Checkpoints;
using Faster.Compaction;
using Faster.Compaction.Copying;
using Faster.Compaction.Expiry;
using Faster.Compaction.Lookups;
using Faster.Compaction.Truncation;
using Faster.Index.Entries;
using Faster.Log;
using Faster.LogCommits;
using Faster.Opening;
using Faster.Tiers;

namespace Faster.Stores;

/// <summary>Everything by which a store reclaims its log's disk space (paper 000, App. C).</summary>
/// <remarks>Thread-safe, except for <see cref="Start"/> and disposal, which the store calls.</remarks>
internal sealed class LogReclamation : IDisposable
{
    private readonly Tier _tier;
    private readonly PagedLog _log;
    private readonly ExpiryFile? _expiryFile;
    private DiskBudgetCompactor? _compactor;
    private ExpiredLogCompactor? _expiries;

    /// <summary>Makes the parts for a store that is being built; nothing runs before <see cref="Start"/>.</summary>
    public LogReclamation(Tier tier, StorePlan storePlan)
    {
        (_tier, _log) = (tier, tier.PagedLog!);
        Space = new DiskSpace(tier.Storage!, _log.Pins, storePlan.SpaceUnit);
        _expiryFile = ExpiryFile.Of(storePlan, CommittedLog.Main);
        Ages = new LogAgeIndex(storePlan.Options.TimeProvider);
        _log.Writes.Time = storePlan.Options.TimeProvider;
        Truncation = new LogTruncation(tier, Ages, Space, isAtOnce: storePlan.Files is null, CopierOf);
    }

    /// <summary>The times at which addresses of the log became immutable.</summary>
    public LogAgeIndex Ages { get; }

    /// <summary>The space that the log takes on its device.</summary>
    public DiskSpace Space { get; }

    /// <summary>Truncates and compacts the log's oldest part.</summary>
    public LogTruncation Truncation { get; }

    /// <summary>The log as commits capture it.</summary>
    public DurableLog Durable => DurableLog.Of(CommittedLog.Main, _tier, Truncation, Space, Ages);

    /// <summary>What compaction and truncation have done so far.</summary>
    public CompactionFigures Figures => Truncation.Figures;

    /// <summary>The bytes that the flushed log takes on the device.</summary>
    public long DiskBytes => Space.BytesUpTo(_log.FlushedUntilAddress);

    /// <summary>Whether the live data do not fit the disk budget.</summary>
    public bool IsExceeded => _compactor?.IsExceeded == true;

    /// <summary>Starts the search for expired records, and the disk-budget compactor if there is a budget.</summary>
    /// <param name="commit">
    /// Commits until the space that was truncated is released; nothing in a store that does not commit.
    /// </param>
    public void Start(Func<Task> commit)
    {
        Truncation.Start();
        _expiries = new ExpiredLogCompactor(_tier, Truncation, _expiryFile) { Commit = commit };
        _expiries.Start();
        if (_tier.Core.Options.DiskBudget.Bytes == 0) return;
        _compactor = new DiskBudgetCompactor(
            _tier, Truncation, Space, _tier.Core.Options.DiskBudget,
            $"{nameof(StoreOptions)}.{nameof(StoreOptions.DiskBudget)}")
        {
            Commit = commit,
        };
        _compactor.Start();
    }

    private ILiveRecordCopier CopierOf(LogTruncation truncation)
    {
        MemoryPlan plan = _tier.Core.MemoryPlan;
        var route = CopyRoute.Of(truncation, _tier, _tier);
        ILiveRecordCopier WithLookups(long bytes) =>
            new LiveRecordCopier(route, DirectCopy.Of<HashEntries>(_tier, bytes));

        bool mayBorrow = plan.LookupLoan != 0 && _tier.Schema.Merger is null;
        return mayBorrow
            ? new BorrowedLookups(route, plan.LookupLoan, WithLookups)
            : WithLookups(plan.LookupBytes / route.Threads);
    }

    /// <summary>Stops what is under way, and waits for its end. Called before the coordinator is closed.</summary>
    public void Dispose()
    {
        _expiries?.Stop();
        Truncation.Dispose();
        _expiries?.Dispose();
        _compactor?.Dispose();
    }
}
