using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.LogCommits;
using Faster.Log.Records;
using Faster.OperationLogs;
using Faster.Opening;
using Faster.Operations.Journaling;
using Faster.Stores;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Engines.Transactional.Redo;

/// <summary>The redo log of a transactional store over its life.</summary>
internal sealed class StoreRedo : StoreLogs<RedoScan>
{
    /// <summary>How much is at risk where operations do not wait.</summary>
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(10);

    private readonly CancellationTokenSource _stop = new();
    private readonly Durability _durability;
    private TransactionalStore _store = null!;
    private RedoLogs? _logs;
    private Task _syncs = Task.CompletedTask;

    private StoreRedo(StorePlan plan, TransactionalOptions options)
        : base(plan, options.LogShape) => _durability = options.Durability;

    /// <inheritdoc/>
    protected override StoreCore Core => _store.Core;

    /// <inheritdoc/>
    protected override SharedLogs Shared => _logs!;

    /// <inheritdoc/>
    protected override CommitKind Kind => Plan.Options.CommitKind;

    /// <summary>Reads the log of a store that is being opened.</summary>
    /// <returns>Null: it has none, and its options ask for none.</returns>
    /// <exception cref="DamagedDataException">The log is missing or damaged.</exception>
    /// <exception cref="StorageException">The disk fails.</exception>
    public static StoreRedo? Open(StorePlan plan, TransactionalOptions options)
    {
        var redo = new StoreRedo(plan, options);
        return redo.TryRead(static commit => new RedoScan(commit)) ? redo : null;
    }

    /// <summary>Makes what the sessions publish in; null if they do not. Called before the first session.</summary>
    public RedoLogs? Attach(TransactionalStore store)
    {
        _store = store;
        if (IsWanted)
            _logs = new RedoLogs { RequestCommit = RequestCommit, Waits = _durability == Durability.EachOperation };
        return _logs;
    }

    /// <summary>Starts the syncs that nothing waits for, if there are such.</summary>
    public void StartSyncs()
    {
        if (_logs is { Waits: false }) _syncs = BackgroundTasks.Run(Sync);
    }

    /// <summary>Ends them, and makes durable what was published.</summary>
    public void StopSyncs()
    {
        _stop.Cancel();
        _syncs.Wait();
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _stop.Dispose();
    }

    /// <inheritdoc/>
    protected override unsafe void Replay(CancellationToken ct)
    {
        using TransactionalSession session = _store.StartInternal("the recovery of the redo log");
        foreach (nint at in Scan!.Records())
        {
            ct.ThrowIfCancellationRequested();
            LogRecord record = LogRecord.At(at);
            if (record.Kind != LogRecordKind.Transaction) continue;
            for (ReadOnlySpan<byte> changes = record.ValueBytes; changes.Length != 0;)
            {
                RedoChange change = RedoChange.Take(ref changes);
                fixed (byte* slot = change.Key)
                {
                    ulong hash = _store.Table.Layout.HashOfSlot(slot, _store.Tier.Seed);
                    var key = new RecordKey(slot, change.Key.Length, hash);
                    session.Restore(key, hash, change.Value, change.IsRemoval);
                }
            }
        }
    }

    private void Sync()
    {
        bool isLast;
        do
        {
            isLast = _stop.Token.WaitHandle.WaitOne(Period);
            try
            {
                if (!_logs!.Logs.IsAllDurable) _logs.Logs.Wait(_logs.TakeTicket());
            }
            catch (StorageException)
            {
                _logs!.RequestCommit(); // which tells the store
                return;
            }
        }
        while (!isLast);
    }
}
