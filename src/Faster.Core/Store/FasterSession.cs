using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Channels;
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
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
public sealed class FasterSession<TProbe> : IAsyncDisposable, IDisposable
    where TProbe : struct, IProbe
{
    /// <summary>What a closed session points to: a slot that is never idle, so that every entry is refused.</summary>
    private static readonly unsafe EpochSlot* ClosedSlot = MakeClosedSlot();

    private readonly EpochTable<TProbe> _epochs;
    private readonly Attempt<TProbe> _attempt;
    private readonly FreeLists? _freeLists;
    private readonly HashSeed _seed;
    private readonly int _maxPending;
    private readonly List<ChannelWriter<CommitPoint>> _listeners = [];
    private readonly CommitState<TProbe> _commits;
    private readonly CommitView<TProbe> _view;
    private readonly BatchRunner<TProbe> _batches;
    private unsafe EpochSlot* _slot;
    private CommitPoint? _lastCommit;
    private long _lastSerial;

    internal unsafe FasterSession(FasterStore<TProbe> store, string? name)
    {
        Store = store;
        Name = name;
        RecoveredPoint = new CommitPoint(name, 0, 0);
        _epochs = store.Epochs;
        _commits = store.Commits;
        Pending = new PendingSet<TProbe>(store.Options.PendingOrder);
        _seed = store.Seed;
        _maxPending = store.Options.MaxPendingPerSession;
        _freeLists = store.Log.Splices ? new FreeLists() : null;
        _attempt = new Attempt<TProbe>(store.Index, store.Log, _commits, _freeLists);
        _view = new CommitView<TProbe>(_commits, _attempt);
        _batches = new BatchRunner<TProbe>(this);
        _slot = _epochs.Acquire(name ?? "an unnamed session");
    }

    /// <summary>The session's name, or null.</summary>
    public string? Name { get; }

    /// <summary>How many operations wait for the disk.</summary>
    public int PendingCount => Pending.Count;

    /// <summary>
    /// The number of the last operation that was accepted: carried out, or pending. Numbers grow by one with each
    /// operation, reads included, unless <see cref="SetNextSerialNumber"/> or a batch says otherwise.
    /// </summary>
    public unsafe long SerialNumber => _slot == ClosedSlot ? _lastSerial : Volatile.Read(ref _slot->Serial);

    /// <summary>
    /// Where the session stood in the commit from which the store was opened: what came after was lost, and is to be
    /// issued again. Serial number 0 for a new session.
    /// </summary>
    public CommitPoint RecoveredPoint { get; internal set; }

    /// <summary>The session's point in the last commit; <see cref="RecoveredPoint"/> before the first.</summary>
    public CommitPoint LastCommit => Volatile.Read(ref _lastCommit) ?? RecoveredPoint;

    /// <summary>
    /// Called with each new commit point, in order, by a thread of the store. Must return soon; what it throws becomes
    /// <see cref="StoreStatistics.LastFault"/>.
    /// </summary>
    public Action<CommitPoint>? OnCommit { get; set; }

    internal FasterStore<TProbe> Store { get; }

    internal PendingSet<TProbe> Pending { get; }

    internal Attempt<TProbe> Attempt => _attempt;

    internal long Wanted => _attempt.Wanted;

    internal unsafe EpochSlot* Slot => _slot;

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
    /// </summary>
    /// <param name="ct">Ends the waiting, not the commit.</param>
    /// <exception cref="StorageException">The commit could not be written; no operation is lost.</exception>
    /// <exception cref="NotSupportedException">The store has no folder.</exception>
    public async ValueTask<CommitPoint> CommitAsync(CancellationToken ct = default)
    {
        _ = await Store.CommitAsync(ct: ct).ConfigureAwait(false);
        return LastCommit;
    }

    /// <summary>
    /// The session's commit points as they come, until the session is closed. Who is slow misses some, never the last:
    /// each covers what those before it cover.
    /// </summary>
    public IAsyncEnumerable<CommitPoint> CommitPointsAsync(CancellationToken ct = default)
    {
        var channel = Channel.CreateBounded<CommitPoint>(
            new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });
        lock (_listeners)
        {
            if (IsClosed) channel.Writer.Complete();
            else _listeners.Add(channel.Writer);
        }

        return channel.Reader.ReadAllAsync(ct);
    }

    /// <summary>
    /// Says which number the next operation carries: above <see cref="SerialNumber"/>. For clients that count
    /// themselves, the position in an input for one.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is not above the last one.</exception>
    public unsafe void SetNextSerialNumber(long serialNumber)
    {
        EpochSlot* slot = Enter();
        try
        {
            Refresh(slot);
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(serialNumber, slot->Serial);
            Volatile.Write(ref slot->Serial, serialNumber - 1);
        }
        finally
        {
            _epochs.Leave(slot);
        }
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
        ThrowIfInUse();
        if (wait) Pending.CompleteDownTo(0, this);
        else Pending.ContinueReady(this);
        Pending.ThrowErrors();
        return PendingCount == 0;
    }

    /// <summary>As <see cref="CompletePending"/> with <c>wait: true</c>, without blocking.</summary>
    /// <param name="ct">Ends the waiting; the operations stay pending.</param>
    public async ValueTask CompletePendingAsync(CancellationToken ct = default)
    {
        ThrowIfInUse();
        while (!CompletePending(wait: false))
            await Pending.WaitForReadyAsync().WaitAsync(ct).ConfigureAwait(false);
    }

    /// <summary>Completes what is pending, then closes the session. Idempotent.</summary>
    public void Dispose()
    {
        if (IsClosed) return;
        ThrowIfInUse();
        try
        {
            CompletePending(wait: true);
        }
        finally
        {
            Close();
        }
    }

    /// <summary>Completes what is pending without blocking, then closes the session. Idempotent.</summary>
    public async ValueTask DisposeAsync()
    {
        if (IsClosed) return;
        ThrowIfInUse();
        try
        {
            await CompletePendingAsync().ConfigureAwait(false);
        }
        finally
        {
            Close();
        }
    }

    internal unsafe bool IsClosed => _slot == ClosedSlot;

    /// <summary>Begins where an earlier session of the name has ended, or a commit has left it.</summary>
    internal unsafe void ContinueFrom(long serial, long point, long pointVersion, PendingSet<TProbe>? pending)
    {
        if (pending is not null) Pending.Adopt(pending);
        _slot->Serial = serial;
        _slot->Point = point;
        _slot->PointVersion = pointVersion;
    }

    /// <summary>One attempt at an operation: enters the epoch, tries, leaves.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="pending">The operation as it was suspended, or null.</param>
    internal unsafe Outcome TryOnce<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, PendingOperation<TProbe>? pending)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        EpochSlot* slot = Enter();
        return TryEntered<TProtocol, TKey, TOperation>(slot, key, hash, ref operation, pending);
    }

    /// <summary>Tries and fails and waits, outside every epoch between attempts, until an operation is done.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Status Persist<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, Outcome outcome)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        var patience = new Patience<TProbe>(Store);
        while (outcome > Outcome.NotFound)
        {
            switch (outcome)
            {
                case Outcome.Suspended:
                    return Status.Pending;
                case Outcome.OnDisk:
                case Outcome.NoRoom when operation.IsAwaited && Store.CanPark:
                case Outcome.Latched when _commits.IsHeldUp(hash):
                    if (outcome == Outcome.NoRoom) Store.ThrowIfLogFailed();
                    outcome = Suspend<TProtocol, TKey, TOperation>(key, hash, ref operation);
                    patience.Check();
                    continue;
                case Outcome.NoRoom:
                    Store.Log.WaitForRoom();
                    patience.Check();
                    break;
                case Outcome.Growing:
                    HelpGrowth();
                    patience.Check();
                    break;
                case Outcome.Shift:
                    break;
                default:
                    patience.Wait();
                    break;
            }

            outcome = TryOnce<TProtocol, TKey, TOperation>(key, hash, ref operation, null);
        }

        return (Status)(int)outcome;
    }

    internal unsafe void HelpGrowth() => Store.Index.HelpGrowth(_slot);

    /// <summary>Begins several operations under one serial number, which a commit takes all or none of.</summary>
    internal unsafe void BeginUnit(long serialNumber)
    {
        var patience = new Patience<TProbe>(Store);
        for (;;)
        {
            EpochSlot* slot = Enter();
            try
            {
                Refresh(slot);
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(serialNumber, slot->Serial);
                if (_view.TryBeginUnit(slot, serialNumber)) return;
            }
            finally
            {
                _epochs.Leave(slot);
            }

            // A commit prepares: those who have begun before are to end first, and nobody begins.
            patience.Wait();
        }
    }

    /// <summary>Ends what <see cref="BeginUnit"/> began.</summary>
    internal unsafe void EndUnit()
    {
        EpochSlot* slot = Enter();
        _view.EndUnit(slot);
        _epochs.Leave(slot);
    }

    /// <summary>Enters the epoch.</summary>
    /// <param name="slot">The session's slot.</param>
    /// <returns>Whether the store is at rest, as the session last saw it.</returns>
    internal unsafe bool EnterAtRest(out EpochSlot* slot)
    {
        slot = Enter();
        if (_commits.Word == slot->State) return true;
        _view.Refresh(slot);
        return slot->State != 0;
    }

    /// <summary>Counts operations that were carried out under the epoch that is still held.</summary>
    internal unsafe void AcceptUnderEpoch(int count)
    {
        if (!_view.IsInUnit) _slot->Serial += count;
    }

    /// <summary>A commit has given this session a point.</summary>
    internal void Deliver(CommitPoint point)
    {
        Volatile.Write(ref _lastCommit, point);
        ChannelWriter<CommitPoint>[] listeners;
        lock (_listeners) listeners = [.. _listeners];
        foreach (ChannelWriter<CommitPoint> listener in listeners) listener.TryWrite(point);
        OnCommit?.Invoke(point);
    }

    /// <summary>Closes the session without completing anything.</summary>
    internal unsafe void Close()
    {
        EpochSlot* slot = _slot;
        if (slot == ClosedSlot) return;
        _lastSerial = slot->Serial;
        Store.Sessions.Close(this, slot);
        _slot = ClosedSlot;
        if (_freeLists is not null) Store.AdoptFreeLists(_freeLists);
        _epochs.Release(slot);
        lock (_listeners)
        {
            foreach (ChannelWriter<CommitPoint> listener in _listeners) listener.TryComplete();
        }
    }

    /// <summary>Gives everything back after user code has thrown.</summary>
    internal unsafe void Abandon()
    {
        _attempt.Abandon();
        EpochSlot* slot = _slot;
        if (slot != ClosedSlot && slot->Epoch != 0) _epochs.Leave(slot);
    }

    private unsafe Status Execute<TProtocol, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        EpochSlot* slot = Enter();
        if (_commits.Word != slot->State)
            return ExecuteInCommit<TProtocol, TKey, TOperation>(key, hash, ref operation);
        Outcome outcome;
        try
        {
            outcome = TProtocol.TryUnderEpoch<TKey, AtRest>(_attempt, key, hash, ref operation, null);
        }
        catch
        {
            Abandon();
            throw;
        }

        _attempt.Unpin();
        if (outcome <= Outcome.NotFound)
        {
            slot->Serial++;
            _epochs.Leave(slot);
            return (Status)(int)outcome;
        }

        _epochs.Leave(slot);
        return Persist<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe Status ExecuteInCommit<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        Outcome outcome = TryEntered<TProtocol, TKey, TOperation>(_slot, key, hash, ref operation, null);
        return Persist<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
    }

    /// <summary>One attempt in whatever phase the store is; leaves the epoch that was entered.</summary>
    private unsafe Outcome TryEntered<TProtocol, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation, PendingOperation<TProbe>? pending)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        Outcome outcome;
        try
        {
            Refresh(slot);
            outcome = TryInPhase<TProtocol, TKey, TOperation>(key, hash, ref operation, pending);
            if (outcome <= Outcome.NotFound)
            {
                if (pending is null) _view.Accept(slot);
                else pending.Settle(_view.Version);
            }
        }
        catch
        {
            Abandon();
            throw;
        }

        _attempt.LeaveBucket();
        _attempt.Unpin();
        _epochs.Leave(slot);
        return outcome;
    }

    private Outcome TryInPhase<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, PendingOperation<TProbe>? pending)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (_view.IsPoisoned && TProtocol.Mutates) Store.ThrowPoisoned();
        DiskRecord? disk = pending?.Disk;
        if (_view.Phase == CommitPhase.Rest)
            return TProtocol.TryUnderEpoch<TKey, AtRest>(_attempt, key, hash, ref operation, disk);

        // An operation that waits in its place holds up the next version in its bucket: it needs no latch.
        bool holdsPlace = pending is not null && _commits.Order == PendingOrder.Strict;
        long version = holdsPlace ? pending!.Version : _view.Version;
        if (version != _view.Version) _view.WorkAt(version);
        try
        {
            if (version != _view.CommittingVersion)
                return TProtocol.TryUnderEpoch<TKey, AfterCommit>(_attempt, key, hash, ref operation, disk);
            if (!holdsPlace && !_attempt.TryEnterShared(hash)) return Outcome.Shift;
            return TProtocol.TryUnderEpoch<TKey, OfCommit>(_attempt, key, hash, ref operation, disk);
        }
        finally
        {
            if (version != _view.Version) _view.WorkAt(_view.Version);
        }
    }

    /// <summary>Lets an operation wait, unless it can be carried out after all: one more attempt decides.</summary>
    private unsafe Outcome Suspend<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!operation.IsAwaited) Pending.CompleteDownTo(_maxPending - 1, this);
        EpochSlot* slot = Enter();
        Pending<TProbe, TProtocol, TOperation>? pending = null;
        Outcome outcome = Outcome.Retry;
        bool counted = false;
        try
        {
            // Counted first: if the attempt then finds the key's records as they were, nobody can get between.
            Refresh(slot);
            long version = _view.Version;
            bool strict = _commits.Order == PendingOrder.Strict;
            counted = strict && _commits.TryAddPending(hash, version);
            if (counted || !strict)
                outcome = TryInPhase<TProtocol, TKey, TOperation>(key, hash, ref operation, null);
            if (outcome <= Outcome.NotFound)
            {
                _view.Accept(slot);
            }
            else if (outcome is Outcome.OnDisk or Outcome.NoRoom or Outcome.Latched)
            {
                pending = Pending<TProbe, TProtocol, TOperation>.Capture(this, key, hash, ref operation);
                pending.Accept(_view.Accept(slot), version);
                counted = false;
            }
        }
        catch
        {
            if (counted) _commits.RemovePending(hash, _view.Version);
            Abandon();
            throw;
        }

        if (counted) _commits.RemovePending(hash, _view.Version);
        _attempt.LeaveBucket();
        _attempt.Unpin();
        long wanted = _attempt.Wanted;
        _epochs.Leave(slot);
        if (pending is null) return outcome;
        pending.Wait(outcome, wanted);
        return Outcome.Suspended;
    }

    private unsafe void Refresh(EpochSlot* slot)
    {
        if (_commits.Word != slot->State) _view.Refresh(slot);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe EpochSlot* Enter()
    {
        EpochSlot* slot = _slot;
        if (slot->Epoch != 0) ThrowMisuse();
        _epochs.Enter(slot);
        return slot;
    }

    // A closed session's slot is never idle, so this refuses it, too.
    private unsafe void ThrowIfInUse()
    {
        if (_slot->Epoch != 0) ThrowMisuse();
    }

    private void ThrowMisuse()
    {
        string name = Name is null ? "The session" : $"Session '{Name}'";
        throw new SessionMisuseException(IsClosed
            ? $"{name} has been disposed of. Start a new one."
            : $"{name} is in use by another call: a second thread uses it at the same time, or a user function calls "
            + $"it. "
                + "Use one session for each logical client, one call at a time.");
    }

    private static unsafe EpochSlot* MakeClosedSlot()
    {
        var slot = (EpochSlot*)NativeMemory.AlignedAlloc((nuint)sizeof(EpochSlot), 64);
        slot->Epoch = -1;
        return slot;
    }
}
