using System.Runtime.CompilerServices;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster;

/// <summary>
/// A logical client of a store: issues operations one after another, while earlier ones may still wait for the disk
/// (paper 000 §2.2, §2.5). The generator wraps it in a session type with the user's own key and value types.
/// </summary>
/// <remarks>
/// A session is not a thread: it may move between threads, but its calls never overlap, and user functions do not call
/// it. Both are checked on entry by a plain read of the session's epoch slot; the check may miss a race, it costs no
/// locked instruction. An operation announces its epoch on entry and leaves it before it returns or waits.
/// <para>Disposal may come at any time, from any thread: beside a call it is refused by
/// <see cref="SessionMisuseException"/>, and session and call go on; a call that comes later is refused. Calls of a
/// session whose store was closed throw <see cref="ObjectDisposedException"/>.</para>
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
public sealed class FasterSession<TProbe> : IAsyncDisposable, IDisposable
    where TProbe : struct, IProbe
{
    private readonly EpochTable<TProbe> _epochs;
    private readonly Attempt<TProbe> _attempt;
    private readonly HashSeed _seed;
    private readonly BatchRunner<TProbe> _batches;
    private readonly SessionGate<TProbe> _gate;
    private readonly unsafe EpochSlot* _slot; // the gate's
    private readonly nint _mark;              // the store's, of threads inside its user functions
    private CommitPoint? _lastCommit;

    internal unsafe FasterSession(FasterStore<TProbe> store, string? name, SessionEntry<TProbe>? entry = null)
    {
        Store = store;
        Name = name;
        Entry = entry;
        RecoveredPoint = entry?.Committed ?? new CommitPoint(name, 0, 0);
        _epochs = store.Epochs;
        Pending = new PendingSet<TProbe>(
            entry?.LeftOut ?? new LeftOut(tracks: false), store.Options.MaxPendingPerSession, store.Reader,
            store.PendingMemory);
        _seed = store.Seed;
        FreeLists = store.Log.Splices ? new FreeLists() : null;
        _attempt = new Attempt<TProbe>(
            store.Index, store.Log, store.Commits, FreeLists, store.Cache, store.Merges, store.Clock, store.Sweep);
        Runner = new OperationRunner<TProbe>(this);
        _batches = new BatchRunner<TProbe>(this);
        _gate = new SessionGate<TProbe>(_epochs, name ?? "an unnamed session");
        _slot = _gate.Slot;
        _mark = store.UserCodeMark;
        if (entry is null) TimeToLive = store.Options.TimeToLive;
    }

    /// <summary>The session's name, or null.</summary>
    public string? Name { get; }

    /// <summary>How many operations wait for the disk.</summary>
    public int PendingCount => Pending.Count;

    /// <summary>
    /// The number of the last operation that was accepted: carried out, or pending. Numbers grow by one with each
    /// operation, reads included, unless <see cref="SetNextSerialNumber"/> or a batch says otherwise.
    /// </summary>
    public long SerialNumber => _gate.Serial;

    /// <summary>
    /// Where the session stood in the commit from which the store was opened: what came after was lost, and is to be
    /// issued again. So are the operations in <see cref="CommitPoint.Excluded"/>, each under its own number
    /// (<see cref="SetNextSerialNumber"/>). Serial number 0 for a new session.
    /// </summary>
    public CommitPoint RecoveredPoint { get; internal set; }

    /// <summary>The session's point in the last commit; <see cref="RecoveredPoint"/> before the first.</summary>
    public CommitPoint LastCommit => Volatile.Read(ref _lastCommit) ?? RecoveredPoint;

    /// <summary>
    /// Called with each new commit point, in order, by a thread of the store. Must return soon; what it throws becomes
    /// <see cref="StoreStatistics.LastFault"/>.
    /// </summary>
    public Action<CommitPoint>? OnCommit { get; set; }

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
            _attempt.Clock.SetOwn(value, Store.Epochs.SafeAsync);
        }
    }

    internal FasterStore<TProbe> Store { get; }
    internal SessionEntry<TProbe>? Entry { get; } // what the registry knows; null for a session of the store's own
    internal PendingSet<TProbe> Pending { get; }
    internal Attempt<TProbe> Attempt => _attempt;
    internal OperationRunner<TProbe> Runner { get; }
    internal unsafe EpochSlot* Slot => _slot;
    internal SessionGate<TProbe> Gate => _gate;
    internal FreeLists? FreeLists { get; }
    internal CommitFeed Feed { get; } = new();

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
    /// One number for all of them, above <see cref="SerialNumber"/>: a commit takes all or none. Null: a number each.
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
    /// The session's commit points as they come, until the session is closed. Who is slow misses some, never the last:
    /// each covers what those before it cover.
    /// </summary>
    public IAsyncEnumerable<CommitPoint> CommitPointsAsync(CancellationToken ct = default) => Feed.ReadAsync(ct);

    /// <summary>
    /// Says which number the next operation carries: above <see cref="SerialNumber"/>. For clients that count
    /// themselves, the position in an input for one. Or one that <see cref="CommitPoint.Excluded"/> of
    /// <see cref="RecoveredPoint"/> lists, to issue that operation again: the numbering goes on from
    /// <see cref="SerialNumber"/> afterwards, and later commits list it no more.
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

    /// <summary>
    /// Completes what is pending, then closes the session, which takes no more calls from the beginning. Idempotent.
    /// </summary>
    /// <exception cref="SessionMisuseException">
    /// A call of the session is under way. It goes on, and the session stays open: dispose of it afterwards.
    /// </exception>
    /// <exception cref="FasterException">A pending operation has failed; the session is closed.</exception>
    public void Dispose()
    {
        if (TryClaim()) SessionEnd<TProbe>.Run(this);
    }

    /// <summary>As <see cref="Dispose"/>, without blocking.</summary>
    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => TryClaim() ? SessionEnd<TProbe>.RunAsync(this) : ValueTask.CompletedTask;

    /// <summary>A commit has given this session a point.</summary>
    internal void Deliver(CommitPoint point)
    {
        Volatile.Write(ref _lastCommit, point);
        Feed.Publish(point);
        OnCommit?.Invoke(point);
    }

    /// <summary>Closes the session without completing anything.</summary>
    internal void Close()
    {
        if (TryClaim()) SessionEnd<TProbe>.Close(this);
    }

    /// <summary>Begins a call that may leave its epoch and go on, until what is returned is disposed of.</summary>
    internal unsafe SessionGate<TProbe>.Call BeginCall()
    {
        _ = IdleSlot();
        SessionGate<TProbe>.Call call = default;
        if (UserCode.Mark == _mark || !_gate.TryBeginCall(out call)) ThrowRefused();
        return call;
    }

    /// <summary>Gives everything back after user code has thrown.</summary>
    internal unsafe void Abandon()
    {
        _attempt.Abandon();
        if (_slot->Epoch != 0) _epochs.Leave(_slot);
        GC.KeepAlive(this);
    }

    // The session is this thread's then, and nobody enters any more.
    private bool TryClaim()
    {
        if (_gate.TryClaim(out bool isInUse)) return true;
        if (isInUse) SessionMisuse.ThrowInUse(Name);
        return false;
    }

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
        _epochs.Leave(slot);
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
        if (_slot->Epoch == 0) _epochs.Refresh(_slot); // it had noted none as quiet, so nothing was announced
        if (UserCode.Mark == _mark || !_gate.MayStay()) Refuse();
        if (Runner.TryExpiring<TProtocol, TKey, TOperation>(_slot, key, hash, ref operation)) return Status.Ok;
        Outcome outcome = Runner.TryEntered<TProtocol, TKey, TOperation>(_slot, key, hash, ref operation, null);
        return outcome <= Outcome.NotFound
            ? (Status)(int)outcome
            : Runner.Persist<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal unsafe EpochSlot* Enter()
    {
        EpochSlot* slot = IdleSlot();
        _epochs.Enter(slot);
        return slot;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe EpochSlot* IdleSlot()
    {
        EpochSlot* slot = _slot;
        if (slot->Epoch != 0) SessionMisuse.ThrowInUse(Name);
        return slot;
    }

    // The epoch was announced before it was seen that the call may not be: nothing was done under it.
    private unsafe void Refuse()
    {
        _epochs.Leave(_slot);
        ThrowRefused();
    }

    private void ThrowRefused() => SessionMisuse.ThrowRefused(Name, UserCode.Mark == _mark, Store.IsClosing);
}
