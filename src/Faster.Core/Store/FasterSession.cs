using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// A logical client of a store: issues operations one after another, while earlier ones may still wait for the disk
/// (paper 000 §2.2, §2.5). The generator wraps it in a session type with the user's own key and value types.
/// </summary>
/// <remarks>
/// An operation announces its epoch on entry and leaves it before it returns or waits.
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
public sealed class FasterSession<TProbe> : SessionCore<TProbe>
    where TProbe : struct, IProbe
{
    private readonly Attempt<TProbe> _attempt;
    private readonly HashSeed _seed;
    private readonly BatchRunner<TProbe> _batches;

    internal FasterSession(FasterStore<TProbe> store, string? name, SessionEntry<TProbe>? entry = null)
        : base(store.Epochs, store.Sessions, MakePending(store, entry), name, entry)
    {
        Store = store;
        _seed = store.Seed;
        FreeLists = store.Log.Splices ? new FreeLists() : null;
        _attempt = new Attempt<TProbe>(
            store.Index, store.Log, store.Commits, FreeLists, store.Cache, store.Merges, store.Clock, store.Sweep);
        Runner = new OperationRunner<TProbe>(this);
        _batches = new BatchRunner<TProbe>(this);
        if (entry is null) TimeToLive = store.Options.TimeToLive;
    }

    /// <summary>
    /// How long lives what the operations that follow write, from the last write on; zero: for ever. At first
    /// <see cref="StoreOptions.TimeToLive"/>. An operation that waits keeps what it began with.
    /// </summary>
    /// <remarks>The first time in a store waits for calls of others: not in a user function.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    public TimeSpan TimeToLive
    {
        get => _attempt.Clock.TimeToLive;
        set
        {
            using SessionGate<TProbe>.Call call = BeginCall();
            _attempt.Clock.SetOwn(value, Epochs.SafeAsync);
        }
    }

    internal FasterStore<TProbe> Store { get; }
    internal Attempt<TProbe> Attempt => _attempt;
    internal OperationRunner<TProbe> Runner { get; }
    internal FreeLists? FreeLists { get; }

    /// <summary>Reads a value. Does not wait for the disk.</summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    public Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation =>
        Execute<ReadProtocol<TProbe, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>Replaces a value blindly, or inserts it. May wait, outside every epoch, for room in the log.</summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    public Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation =>
        Execute<UpsertProtocol<TProbe, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Updates a value by the user's logic. Does not wait for the disk; may wait for room in the log.
    /// </summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    public Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation =>
        Execute<RmwProtocol<TProbe, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Deletes a key. <see cref="Status.NotFound"/> only when the key is known not to exist: whether an older record
    /// lies on disk is not looked up.
    /// </summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    public Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation =>
        Execute<DeleteProtocol<TProbe, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Reads many values under few epochs, with their memory fetched ahead; returns when all are read.
    /// </summary>
    /// <param name="batch">The operations.</param>
    /// <param name="serialNumber">
    /// One number for all of them, above <see cref="SessionCore{TProbe}.SerialNumber"/>: a commit takes all or none.
    /// Null: a number each.
    /// </param>
    public void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<ReadProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <summary>Upserts many values under few epochs. A user function that throws ends the batch where it is.</summary>
    public void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<UpsertProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <summary>Updates many values under few epochs. A user function that throws ends the batch where it is.</summary>
    public void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<RmwProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <summary>Deletes many keys under few epochs.</summary>
    public void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<DeleteProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch, serialNumber);

    /// <summary>
    /// Commits the store, and returns this session's point: every operation of the session that was issued before the
    /// call is durable then. Others may be, too: the store chooses the point (paper 004 §2).
    /// The session may be closed meanwhile.
    /// </summary>
    /// <param name="ct">Ends the waiting, not the commit.</param>
    /// <exception cref="StorageException">The commit could not be written; no operation is lost.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public async ValueTask<CommitPoint> CommitAsync(CancellationToken ct = default)
    {
        Commit commit = await Store.CommitAsync(ct: ct).ConfigureAwait(false);
        return Store.Sessions.PointIn(this, commit.Version);
    }

    /// <summary>
    /// Says which number the next operation carries: above <see cref="SessionCore{TProbe}.SerialNumber"/>. For clients
    /// that count themselves, the position in an input for one. Or one that <see cref="CommitPoint.Excluded"/> of
    /// <see cref="SessionCore{TProbe}.RecoveredPoint"/> lists, to issue that operation again: the numbering goes on
    /// from the last number afterwards, and later commits list it no more.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The number is neither above the last one nor one that is left out and has not been issued again.
    /// </exception>
    public void SetNextSerialNumber(long serialNumber)
    {
        using SessionGate<TProbe>.Call call = BeginCall();
        Runner.SetNextSerial(serialNumber);
    }

    /// <summary>Continues operations whose records have come from disk, and calls their completion callbacks.</summary>
    /// <param name="wait">Whether to block until none is pending.</param>
    /// <returns>Whether none is pending.</returns>
    /// <exception cref="FasterException">
    /// An operation failed and has nobody who awaits it; the others have gone on.
    /// </exception>
    /// <exception cref="AggregateException">Several have.</exception>
    public bool CompletePending(bool wait)
    {
        using SessionGate<TProbe>.Call call = BeginCall();
        if (wait) Pending.CompleteDownTo(0, this);
        else Pending.ContinueReady(this);
        Pending.ThrowErrors();
        return PendingCount == 0;
    }

    /// <summary>As <see cref="CompletePending"/> with <c>wait: true</c>, without blocking.</summary>
    /// <param name="ct">Ends the waiting; the operations stay pending.</param>
    public async ValueTask CompletePendingAsync(CancellationToken ct = default)
    {
        await Pending.CompleteAsync(this, isClosed: false, ct).ConfigureAwait(false);
    }

    /// <summary>Gives everything back after user code has thrown.</summary>
    internal unsafe void Abandon()
    {
        _attempt.Abandon();
        if (Slot->Epoch != 0) Epochs.Leave(Slot);
        GC.KeepAlive(this);
    }

    private protected override bool IsStoreClosing => Store.IsClosing;

    private protected override void CompleteAll()
    {
        Pending.CompleteDownTo(0, this);
        Pending.ThrowErrors();
    }

    private protected override async ValueTask CompleteAllAsync()
    {
        await Pending.CompleteAsync(this, isClosed: true, default).ConfigureAwait(false);
        Pending.ThrowErrors();
    }

    private protected override void ReleaseEngine()
    {
        _attempt.Cache.Retire();
        if (FreeLists is not null) ((InMemoryAllocator<TProbe>)Store.Log).Adopt(FreeLists);
    }

    private static PendingSet<TProbe> MakePending(FasterStore<TProbe> store, SessionEntry<TProbe>? entry) => new(
        entry?.LeftOut ?? new LeftOut(tracks: false), store.Options.MaxPendingPerSession, store.Reader,
        store.PendingMemory);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Status Execute<TProtocol, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation => TOperation.RunsUserCode
            ? ExecuteGuarded<TProtocol, TKey, TOperation>(key, ref operation)
            : ExecutePlainly<TProtocol, TKey, TOperation>(key, ref operation);

    private unsafe Status ExecuteGuarded<TProtocol, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        EpochSlot* slot = IdleSlot();
        try
        {
            if (TryAtRest<TProtocol, TKey, TOperation>(slot, key, hash, ref operation)) return Status.Ok;
        }
        catch
        {
            Abandon();
            throw;
        }

        return ExecuteFurther<TProtocol, TKey, TOperation>(key, hash, ref operation);
    }

    private unsafe Status ExecutePlainly<TProtocol, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        return TryAtRest<TProtocol, TKey, TOperation>(IdleSlot(), key, hash, ref operation)
            ? Status.Ok
            : ExecuteFurther<TProtocol, TKey, TOperation>(key, hash, ref operation);
    }

    // False leaves the epoch announced, in case that it was quiet and the key just is not where it mostly is.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryAtRest<TProtocol, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!EpochTable<TProbe>.TryEnterQuiet(slot)) return false;
        Attempt<TProbe> attempt = _attempt;
        QuietIndex<TProbe> index = attempt.Quiet; // a copy, whose fields stay in registers
        if (!TProtocol.TryHit(attempt, key, index.FindFirst(hash), ref operation)) return false;
        slot->Serial++;
        Epochs.Leave(slot);
        GC.KeepAlive(this); // whose slot it is
        return true;
    }

    // Whatever is not a hit at rest.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe Status ExecuteFurther<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (Slot->Epoch == 0) Epochs.Refresh(Slot); // it had noted none as quiet, so nothing was announced
        RefuseIfShut();
        if (Runner.TryExpiring<TProtocol, TKey, TOperation>(Slot, key, hash, ref operation)) return Status.Ok;
        Outcome outcome = Runner.TryEntered<TProtocol, TKey, TOperation>(Slot, key, hash, ref operation, null);
        return outcome <= Outcome.NotFound
            ? (Status)(int)outcome
            : Runner.Persist<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
    }
}
