using System.ComponentModel;
using System.Runtime.CompilerServices;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Transactional.Capture;
using Faster.Engines.Transactional.Locks;
using Faster.Engines.Transactional.Redo;
using Faster.Engines.Transactional.Running;
using Faster.Epochs;
using Faster.Log.InMemory;
using Faster.Operations;
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
public unsafe partial class TransactionalSession : CommittingSession, ITransactionSession, ICommitSession,
    ICopyingSession
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
    private readonly SessionVersion _version;
    private readonly SessionCaptures _captures;
    private readonly SessionSerials _serials;
    private long _deletions; // since the session has last had the index's size looked at

    internal TransactionalSession(TransactionalStore store, string? name, SessionEntry? entry)
        : base(store.Core.Epochs, name, entry)
    {
        (_store, _seed, _table) = (store, store.Tier.Seed, store.Table);
        _version = new SessionVersion(
            this, store.Core.Commits, store.CommitLog, store.Tier, store.Options.ReadsLock, store.Redo is not null);
        QuietView.Of(Slot)->Begin(store.Tier);
        _captures = new SessionCaptures(store.Captures);
        _serials = new SessionSerials(this, _version);
        _locks = new KeyLocks(store.Table, store.AbsentKeys, Lists, _version, _captures);
        if (store.Redo is { } logs && entry is not null)
            _redo = new SessionRedo(logs, logs.Register(name), _version, _serials);
        _keys = new TransactionKeys(_locks, _seed, _version, _captures) { Redo = _redo };
        _dynamic = new LockedRecords(_keys);
        store.Captures.Add(_captures);
    }

    /// <summary>Starts a session of an emitted type.</summary>
    /// <param name="start">What the store hands to it.</param>
    protected TransactionalSession(SessionStart start)
        : this((TransactionalStore)start.Store, start.Name, start.Entry)
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
        Execute<UpdateStep<TOperation, Upserting<TOperation>>, TKey, TOperation>(key, ref operation);

    /// <inheritdoc/>
    protected internal Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation =>
        Execute<UpdateStep<TOperation, Modifying<TOperation>>, TKey, TOperation>(key, ref operation);

    /// <inheritdoc/>
    protected internal Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation =>
        Execute<DeleteStep<TOperation>, TKey, TOperation>(key, ref operation);

    private protected override bool IsStoreClosing => _store.Core.Closing.HasBegun;

    internal sealed override SessionRegistry Registry => _store.Core.Sessions;

    internal override SessionSerials Serials => _serials;

    private protected override Task<Commit> CommitStoreAsync() => _store.RequestCommitAsync();

    private protected override void ReleaseEngine()
    {
        base.ReleaseEngine();
        _store.Captures.Remove(_captures);
        _keys.Dispose();
        _store.Adopt(this);
    }

    private Status Execute<TStep, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        nint page = CallerThread.StackPage;
        EpochSlot* slot = Slot;
        if (slot->Home != page) return ExecuteClaimed<TStep, TKey, TOperation>(key, ref operation, page);
        if (slot->Epoch != 0) SessionMisuse.ThrowInUse(this);
        bool mayHit = TKey.IsWord && TOperation.ValueSize == sizeof(ulong) && !TOperation.RunsUserCode;
        return mayHit && TryHit<TStep, TKey, TOperation>(QuietView.Of(slot), key, ref operation)
            ? Status.Ok
            : ExecuteQuietly<TStep, TKey, TOperation>(slot, key, ref operation);
    }

    // In the quiet epoch, which a hit may have entered.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Status ExecuteQuietly<TStep, TKey, TOperation>(EpochSlot* slot, scoped TKey key, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        Outcome outcome = Outcome.Retry;
        Status status = default;
        if (EpochTable.TryEnterQuiet(slot))
        {
            outcome = Try<TStep, TKey, TOperation>(key, hash, ref operation, out status);
            _figures.Conflicts += outcome == Outcome.Retry ? 1 : 0;
        }

        if (outcome != Outcome.Ok)
            status = ExecuteFurther<TStep, TKey, TOperation>(slot, key, hash, ref operation);
        return _redo is null ? status : Acknowledged<TStep, TOperation>(ref operation, status);
    }

    // By a thread that does not keep the session, or calls from elsewhere on its stack.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Status ExecuteClaimed<TStep, TKey, TOperation>(
        scoped TKey key, ref TOperation operation, nint page)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        using SessionGate.Call call = BeginCall();
        Gate.Keep(page);
        Status status = ExecuteFurther<TStep, TKey, TOperation>(Slot, key, key.Hash(_seed), ref operation);
        return _redo is null ? status : Acknowledged<TStep, TOperation>(ref operation, status);
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
        var backoff = NewBackoff();
        for (; ; )
        {
            EnterQuietly(TStep.Access == RecordAccess.Write);
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
            if (outcome == Outcome.Ok) Count(TStep.Access == RecordAccess.Write);
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

    // Gives an operation its serial number, in the epoch in which it was carried out.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Count(bool mutates)
    {
        EpochSlot* slot = Slot;
        if (slot->Quiet != 0) Volatile.Write(ref slot->Serial, slot->Serial + 1);
        else _ = _serials.Assign(slot, isDone: true, mutates);
    }

    // Enters, and makes the epoch the quiet one, if a commit allows it: a later operation then enters by a comparison.
    private void EnterQuietly(bool mutates)
    {
        if (Slot->Epoch == 0) Epochs.Enter(Slot);
        if (Epochs.IsQuiet(Slot->Quiet) && Slot->Quiet == Slot->Epoch) return;
        Epochs.Refresh(Slot);
        _version.Refresh(Slot);
        if (!_version.IsPoisoned || !mutates) return;
        Epochs.Leave(Slot);
        _store.Core.ThrowIfPoisoned();
    }
}
