using System.ComponentModel;
using System.Runtime.CompilerServices;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Transactional.Locks;
using Faster.Engines.Transactional.Running;
using Faster.Epochs;
using Faster.Log.InMemory;
using Faster.Sessions;
using Faster.Stores;
using Faster.Tables;

namespace Faster.Engines.Transactional;

/// <summary>
/// A logical client of a transactional store: transactions over several records, and the four operations, each of which
/// is a transaction of one record. Emitted code derives the session type with the user's key and value types from it.
/// </summary>
/// <remarks>
/// Its operations are never pending. Calls of a session must not overlap: <see cref="SessionCore"/> says what is
/// checked.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public unsafe partial class TransactionalSession : SessionCore, ITransactionSession, ICopyingSession
{
    private const int DeletionsForEachLook = 4096;

    private readonly TransactionalStore _store;
    private readonly HashSeed _seed;
    private readonly RecordTable _table;
    private readonly KeyLocks _locks;
    private readonly TransactionKeys _keys;
    private readonly LockedRecords _dynamic;
    private readonly ValueBuffer _buffer = new();
    private readonly SessionFigures _figures = new();
    private long _deletions; // since the session has last had the index's size looked at

    internal TransactionalSession(TransactionalStore store, SessionEntry entry)
        : base(store.Core.Epochs, store.Core.Sessions, null, entry)
    {
        (_store, _seed, _table) = (store, store.Tier.Seed, store.Table);
        _locks = new KeyLocks(store.Table, store.AbsentKeys, Lists);
        _keys = new TransactionKeys(_locks, _seed);
        _dynamic = new LockedRecords(_keys);
    }

    /// <summary>Starts a session of an emitted type.</summary>
    /// <param name="start">What the store hands to it.</param>
    protected TransactionalSession(SessionStart start)
        : this((TransactionalStore)start.Store, start.Entry)
    {
    }

    internal FreeLists Lists { get; } = new();

    internal SessionFigures Figures => _figures;

    /// <inheritdoc/>
    protected internal Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation =>
        Execute<ReadStep<TOperation>, TKey, TOperation>(key, ref operation);

    /// <inheritdoc/>
    protected internal Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation =>
        Execute<UpsertStep<TOperation>, TKey, TOperation>(key, ref operation);

    /// <inheritdoc/>
    protected internal Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation =>
        Execute<RmwStep<TOperation>, TKey, TOperation>(key, ref operation);

    /// <inheritdoc/>
    protected internal Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation =>
        Execute<DeleteStep<TOperation>, TKey, TOperation>(key, ref operation);

    private protected override bool IsStoreClosing => _store.Core.Closing.HasBegun;

    private protected override void ReleaseEngine()
    {
        _keys.Dispose();
        _store.Adopt(this);
    }

    private Status Execute<TStep, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        nint page = CallerThread.StackPage;
        EpochSlot* slot = Slot;
        if (slot->Home != page) return ExecuteClaimed<TStep, TKey, TOperation>(key, hash, ref operation, page);
        if (slot->Epoch != 0) SessionMisuse.ThrowInUse(Name);
        if (!EpochTable.TryEnterQuiet(slot))
            return ExecuteFurther<TStep, TKey, TOperation>(slot, key, hash, ref operation);
        Outcome outcome = Try<TStep, TKey, TOperation>(key, hash, ref operation, out Status status);
        return outcome == Outcome.Ok ? status : ExecuteFurther<TStep, TKey, TOperation>(slot, key, hash, ref operation);
    }

    // By a thread that does not keep the session, or calls from elsewhere on its stack.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Status ExecuteClaimed<TStep, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, nint page)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        using SessionGate.Call call = BeginCall();
        Gate.Keep(page);
        return ExecuteFurther<TStep, TKey, TOperation>(Slot, key, hash, ref operation);
    }

    // Until it is done: within a call, so that a user function that comes back is refused instead of waiting.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Status ExecuteFurther<TStep, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        using SessionGate.Call call = ContinueAsCall(slot);
        var backoff = new Backoff(_store.Tier);
        for (; ; )
        {
            EnterQuietly();
            Outcome outcome = Try<TStep, TKey, TOperation>(key, hash, ref operation, out Status status);
            if (outcome == Outcome.Ok) return status;
            _figures.Conflicts += outcome == Outcome.Retry ? 1 : 0;
            backoff.Wait(outcome, Slot);
        }
    }

    // One attempt under the entered epoch, which it leaves.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Outcome Try<TStep, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, out Status status)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        LockedKey at = new(hash, 0, TStep.Access);
        Outcome outcome;
        status = default;
        try
        {
            using UserCode.Scope inside = TOperation.RunsUserCode ? UserCode.Enter(Mark) : default;
            outcome = _table.Locate(hash, out at.Entry);
            if (outcome == Outcome.Ok) outcome = TStep.TryRun(this, key, ref at, ref operation, out status);
        }
        finally
        {
            _locks.Release(ref at);
            Epochs.Leave(Slot);
        }

        GC.KeepAlive(this); // the slot is this session's
        return outcome;
    }

    // Counts records that came or went; where many went, the index may have become too large.
    private void CountRecords(long added)
    {
        _figures.Records += added;
        if (added < 0 && (_deletions -= added) >= DeletionsForEachLook)
        {
            _deletions = 0;
            _store.Tier.Index.Thinned?.Invoke();
        }
    }

    // Enters, and makes the epoch the quiet one: a later operation then enters by a comparison.
    private void EnterQuietly()
    {
        if (Slot->Epoch == 0) Epochs.Enter(Slot);
        if (Epochs.IsQuiet(Slot->Quiet) && Slot->Quiet == Slot->Epoch) return;
        Epochs.Refresh(Slot);
        Slot->Quiet = Slot->Epoch;
    }
}
