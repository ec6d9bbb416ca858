using Faster.Compaction;
using Faster.Log;
using Faster.LogCommits;
using Faster.LogSessions;
using Faster.Opening;
using Faster.Operations.Journaling;
using Faster.Tiers;

namespace Faster.Stores;

/// <summary>The operation logs of a store over hybrid logs, over its life.</summary>
internal sealed class StoreJournal : StoreLogs<JournalScan>
{
    private LogStoreCore _core = null!;

    private StoreJournal(StorePlan plan)
        : base(plan, OperationLogShape.For(plan.Options))
    {
    }

    /// <inheritdoc/>
    protected override StoreCore Core => _core;

    /// <inheritdoc/>
    protected override SharedLogs Shared => _core.Journal!;

    // A fold-over makes all records immutable, so that each is copied at its next update: the log would soon outgrow
    // the memory that holds all of it.
    /// <inheritdoc/>
    protected override CommitKind Kind
    {
        get
        {
            RecordAllocator log = _core.Tiers[0].Log;
            bool isInMemory = log.HeadAddress <= log.BeginAddress;
            return isInMemory && _core.Options.CommitKind == CommitKind.FoldOver
                ? CommitKind.Incremental
                : _core.Options.CommitKind;
        }
    }

    /// <summary>Reads the operation logs of a store that is being opened.</summary>
    /// <param name="plan">The store's plan.</param>
    /// <returns>Null: it has none, and its options ask for none.</returns>
    /// <exception cref="DamagedDataException">The logs are missing or damaged.</exception>
    /// <exception cref="StorageException">The disk fails.</exception>
    public static StoreJournal? Open(StorePlan plan)
    {
        var journal = new StoreJournal(plan);
        return journal.TryRead(commit => new JournalScan(commit, plan.Metadata)) ? journal : null;
    }

    /// <summary>Makes what the sessions journal with; null if they do not. Called before the first session.</summary>
    public Journal? Attach(LogStoreCore core)
    {
        _core = core;
        return IsWanted
            ? new Journal { RequestCommit = RequestCommit, ReadsAwait = Plan.Options.ReadsAwaitDurability }
            : null;
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _core?.Journal?.Dispose();
    }

    /// <inheritdoc/>
    protected override void Replay(CancellationToken ct)
    {
        bool passed = TailThrottle.Pass(true); // no compaction runs yet
        try
        {
            using var session = (HashSession)_core.StartInternal("the recovery of the operation logs");
            new JournalReplay(session, _core.Tiers[0]).Run(Scan!, ct);
        }
        finally
        {
            _ = TailThrottle.Pass(passed);
        }
    }
}
