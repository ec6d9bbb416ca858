using System.ComponentModel;
using Faster.Analytics;
using Faster.Contracts;
using Faster.Log.InMemory;
using Faster.Sessions;
using Faster.Stores;
using Faster.Tables;
using Faster.Tiers;

namespace Faster.Engines.Transactional;

/// <summary>
/// The transactional store (paper 004 §4): records in memory with a lock each. Emitted code derives the store type
/// with the user's key and value types from <see cref="TransactionalStore{TSession, TRecord}"/>.
/// </summary>
/// <remarks>Thread-safe. Operations go through sessions; a store may have any number of them.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public class TransactionalStore : EngineStore
{
    private readonly IndexSizer _sizer;
    private readonly SessionFigures _ended = new();

    internal TransactionalStore(TransactionalStart start)
    {
        Options = start.Options;
        Core = new StoreCore(this, start.Plan);
        Tier = new Tier(Core, start.Plan);
        Table = new RecordTable(Tier);
        AbsentKeys = new AbsentKeyLocks(Options.MemoryBudget.Bytes);
        Analytics = new CopyingScans<TransactionalSession>(Tier.Schema, "Transactional", StartSession);
        if (Options.PopulateMemory) Tier.PopulateMemory(Core.MemoryPlan, mayCache: false);
        Tier.Index.ByteLimit = Core.MemoryPlan.IndexLimit;
        _sizer = new IndexSizer(Tier, Core.MemoryPlan);
        _sizer.Listen();
    }

    /// <inheritdoc/>
    public override TransactionalOptions Options { get; }

    /// <inheritdoc/>
    public override TransactionalStatistics Statistics
    {
        get
        {
            Core.Closing.ThrowIfUnusable();
            SessionFigures all = AllFigures();
            return new TransactionalStatistics
            {
                Records = all.Records,
                Committed = all.Committed,
                Aborted = all.Aborted,
                Conflicts = all.Conflicts,
                IndexMemory = new ByteSize(Tier.Index.Bytes),
                RecordMemory = new ByteSize(Tier.Log.BytesInMemory),
                IndexGrowths = _sizer.Growths,
                IndexAtLimit = _sizer.AtLimit,
                MemoryBytes = Tier.Index.Bytes + Tier.Log.BytesInMemory
                    + AbsentKeyLocks.BytesFor(Options.MemoryBudget.Bytes),
                Sessions = Core.Sessions.Count,
                StalledBy = Core.Epochs.StalledBy,
                LastFault = Core.Faults.Last,
            };
        }
    }

    /// <summary>Scans, export and import.</summary>
    internal override CopyingScans<TransactionalSession> Analytics { get; }

    internal StoreCore Core { get; }

    internal Tier Tier { get; }

    internal RecordTable Table { get; }

    internal AbsentKeyLocks AbsentKeys { get; }

    internal bool ReadsLock => Options.ReadsLock;

    /// <inheritdoc cref="TransactionalEngine.OpenAsync"/>
    internal static ValueTask<TransactionalStore> OpenAsync(
        TransactionalOptions options, RecordSchema schema, CancellationToken cancellationToken) =>
        TransactionalEngine.OpenAsync(
            options, schema, static start => new TransactionalStore(start), cancellationToken);

    internal TransactionalSession StartSession() => Core.Closing.Start(null, mustBeKnown: false, MakeSession);

    /// <summary>Takes over what a session that has ended leaves.</summary>
    internal void Adopt(TransactionalSession session)
    {
        ((InMemoryAllocator)Tier.Log).Adopt(session.Lists);
        lock (_ended) _ended.Add(session.Figures);
    }

    /// <summary>Makes a session.</summary>
    private protected virtual TransactionalSession MakeSession(SessionEntry entry) => new(this, entry);

    private protected override Task CloseAsync(bool blocks) =>
        Core.Closing.RunAsync(blocks, [_sizer.EndResizes], parts: [_sizer.Close, FreeMemory]);

    // A session that ends meanwhile may be counted once too often or not at all.
    private SessionFigures AllFigures()
    {
        var all = new SessionFigures();
        lock (_ended) all.Add(_ended);
        foreach (SessionCore session in Core.Sessions.Open) all.Add(((TransactionalSession)session).Figures);
        return all;
    }

    // If a session is still inside an epoch, the memory is leaked rather than freed under it.
    private void FreeMemory()
    {
        if (Core.Closing.TryDrain()) Core.Closing.CloseAll([Tier.FreeMemory, AbsentKeys.Dispose]);
    }
}
