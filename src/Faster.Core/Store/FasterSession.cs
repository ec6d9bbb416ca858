using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
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
    private const int BatchSize = 32;

    /// <summary>What a closed session points to: a slot that is never idle, so that every entry is refused.</summary>
    private static readonly unsafe EpochSlot* ClosedSlot = MakeClosedSlot();

    private readonly EpochTable<TProbe> _epochs;
    private readonly Attempt<TProbe> _attempt;
    private readonly FreeLists? _freeLists;
    private readonly HashSeed _seed;
    private readonly int _maxPending;
    private readonly PendingSet<TProbe> _pending = new();
    // hashes of the keys whose operations of the batch are pending
    private readonly HashSet<ulong> _pendingInBatch = [];
    private unsafe EpochSlot* _slot;

    internal unsafe FasterSession(FasterStore<TProbe> store, string? name)
    {
        Store = store;
        Name = name;
        _epochs = store.Epochs;
        _seed = store.Seed;
        _maxPending = store.Options.MaxPendingPerSession;
        _freeLists = store.Log.Splices ? new FreeLists() : null;
        _attempt = new Attempt<TProbe>(store.Index, store.Log, _freeLists);
        _slot = _epochs.Acquire(name ?? "an unnamed session");
    }

    /// <summary>The session's name, or null.</summary>
    public string? Name { get; }

    /// <summary>How many operations wait for the disk.</summary>
    public int PendingCount => _pending.Count;

    internal FasterStore<TProbe> Store { get; }

    internal long Wanted => _attempt.Wanted;

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
    public void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        ExecuteBatch<ReadProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch);

    /// <summary>Upserts many values under few epochs. A user function that throws ends the batch where it is.</summary>
    public void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        ExecuteBatch<UpsertProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch);

    /// <summary>Updates many values under few epochs. A user function that throws ends the batch where it is.</summary>
    public void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        ExecuteBatch<RmwProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch);

    /// <summary>Deletes many keys under few epochs.</summary>
    public void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        ExecuteBatch<DeleteProtocol<TProbe, TOperation>, TKey, TOperation, TBatch>(ref batch);

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
        if (wait) _pending.CompleteDownTo(0, this);
        else _pending.ContinueReady(this);
        _pending.ThrowErrors();
        return PendingCount == 0;
    }

    /// <summary>As <see cref="CompletePending"/> with <c>wait: true</c>, without blocking.</summary>
    /// <param name="ct">Ends the waiting; the operations stay pending.</param>
    public async ValueTask CompletePendingAsync(CancellationToken ct = default)
    {
        ThrowIfInUse();
        while (!CompletePending(wait: false))
            await _pending.WaitForReadyAsync().WaitAsync(ct).ConfigureAwait(false);
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

    /// <summary>One attempt at an operation: enters the epoch, tries, leaves.</summary>
    internal unsafe Outcome TryOnce<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, DiskRecord? disk)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        EpochSlot* slot = Enter();
        Outcome outcome;
        try
        {
            outcome = TProtocol.TryUnderEpoch(_attempt, key, hash, ref operation, disk);
        }
        catch
        {
            Abandon();
            throw;
        }

        _attempt.Unpin();
        _epochs.Leave(slot);
        return outcome;
    }

    internal unsafe void HelpGrowth() => Store.Index.HelpGrowth(_slot);

    /// <summary>The operation can be continued by this session's owner.</summary>
    internal void AddReady(PendingOperation<TProbe> operation) => _pending.AddReady(operation);

    /// <summary>A pending operation has ended.</summary>
    /// <param name="error">The error that nobody else hears of, or null.</param>
    internal void OnPendingEnded(Exception? error) => _pending.OnEnded(error);

    /// <summary>Closes the session without completing anything.</summary>
    internal unsafe void Close()
    {
        EpochSlot* slot = _slot;
        if (slot == ClosedSlot) return;
        _slot = ClosedSlot;
        if (_freeLists is not null) Store.AdoptFreeLists(_freeLists);
        _epochs.Release(slot);
        Store.OnSessionClosed(this);
    }

    private unsafe Status Execute<TProtocol, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        EpochSlot* slot = Enter();
        Outcome outcome;
        try
        {
            outcome = TProtocol.TryUnderEpoch(_attempt, key, hash, ref operation, null);
        }
        catch
        {
            Abandon();
            throw;
        }

        _attempt.Unpin();
        _epochs.Leave(slot);
        if (outcome <= Outcome.NotFound) return (Status)(int)outcome;
        return Persist<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
    }

    /// <summary>Keeps trying an operation that did not succeed at once, outside every epoch between attempts.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Status Persist<TProtocol, TKey, TOperation>(
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
                case Outcome.OnDisk:
                    return Suspend<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
                case Outcome.NoRoom when operation.IsAwaited && Store.CanPark:
                    Store.ThrowIfLogFailed();
                    return Suspend<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
                case Outcome.NoRoom:
                    Store.Log.WaitForRoom();
                    patience.Check();
                    break;
                case Outcome.Growing:
                    HelpGrowth();
                    patience.Check();
                    break;
                default:
                    patience.Wait();
                    break;
            }

            outcome = TryOnce<TProtocol, TKey, TOperation>(key, hash, ref operation, null);
        }

        return (Status)(int)outcome;
    }

    private Status Suspend<TProtocol, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, Outcome outcome)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        long wanted = _attempt.Wanted;
        if (!operation.IsAwaited) _pending.CompleteDownTo(_maxPending - 1, this);
        var pending = Pending<TProbe, TProtocol, TOperation>.Capture(this, key, hash, ref operation);
        _pending.OnBegun();
        if (outcome == Outcome.OnDisk) pending.BeginWalk(wanted);
        else pending.Park();
        return Status.Pending;
    }

    private void ExecuteBatch<TProtocol, TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        int count = batch.Count;
        _pendingInBatch.Clear();
        try
        {
            for (int start = 0; start < count; start += BatchSize)
            {
                ExecutePart<TProtocol, TKey, TOperation, TBatch>(
                    ref batch, start, Math.Min(BatchSize, count - start));
            }
        }
        finally
        {
            if (PendingCount != 0) CompletePending(wait: true);
        }
    }

    private unsafe void ExecutePart<TProtocol, TKey, TOperation, TBatch>(scoped ref TBatch batch, int start, int count)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        ulong* hashes = stackalloc ulong[BatchSize];
        for (int i = 0; i < count; i++)
        {
            hashes[i] = batch.GetKey(start + i).Hash(_seed);
            Store.Index.Prefetch(hashes[i]);
        }

        EpochSlot* slot = Enter();
        try
        {
            for (int i = 0; i < count; i++) _attempt.PrefetchRecord(hashes[i]);
            for (int i = 0; i < count; i++)
            {
                if (_pendingInBatch.Count != 0 && _pendingInBatch.Contains(hashes[i])) slot = CompleteEarlier(slot);
                TKey key = batch.GetKey(start + i);
                TOperation operation = batch.GetOperation(start + i);
                Outcome outcome = TProtocol.TryUnderEpoch(_attempt, key, hashes[i], ref operation, null);
                _attempt.Unpin();
                if (outcome > Outcome.NotFound)
                {
                    // A batch falls back to single steps: nobody waits inside an epoch.
                    _epochs.Leave(slot);
                    Status status = Persist<TProtocol, TKey, TOperation>(key, hashes[i], ref operation, outcome);
                    if (status == Status.Pending) _pendingInBatch.Add(hashes[i]);
                    batch.SetResult(start + i, status, ref operation);
                    slot = Enter();
                    continue;
                }

                batch.SetResult(start + i, (Status)(int)outcome, ref operation);
            }
        }
        catch
        {
            Abandon();
            throw;
        }

        _epochs.Leave(slot);
    }

    /// <summary>
    /// Completes what is pending before the batch goes on with a key that it has named before: order is kept.
    /// </summary>
    private unsafe EpochSlot* CompleteEarlier(EpochSlot* slot)
    {
        _epochs.Leave(slot);
        _pending.CompleteDownTo(0, this);
        _pendingInBatch.Clear();
        return Enter();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe EpochSlot* Enter()
    {
        EpochSlot* slot = _slot;
        if (slot->Epoch != 0) ThrowMisuse();
        _epochs.Enter(slot);
        return slot;
    }

    /// <summary>Gives everything back after user code has thrown.</summary>
    private unsafe void Abandon()
    {
        _attempt.Abandon();
        EpochSlot* slot = _slot;
        if (slot != ClosedSlot && slot->Epoch != 0) _epochs.Leave(slot);
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
