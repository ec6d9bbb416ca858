using System.ComponentModel;
using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Log.InMemory;
using Faster.Store;
using Faster.Store.Expiry;
using Faster.Store.Operations;
using Faster.Tiers;

namespace Faster.Sessions;

/// <summary>
/// A logical client of a store: it issues operations one after another, while earlier ones may be pending (paper 000
/// §2.2, §2.5). Emitted code wraps it in a session type with the user's key and value types.
/// </summary>
/// <remarks>
/// An operation announces its epoch on entry, and leaves it before it returns or waits. Calls of a session must not
/// overlap: <see cref="SessionCore{TProbe}"/> says what is checked. Operations work on the store's first tier, whose
/// index is a hash index in memory; a search that ends there goes on in the tier below, if the store has one.
/// </remarks>
/// <typeparam name="TProbe">A test's probe, or <see cref="NoProbe"/>.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract partial class HashSession<TProbe> : LogSession<TProbe>
    where TProbe : struct, IProbe
{
    private readonly Attempt<TProbe> _attempt;
    private readonly HashSeed _seed;
    private readonly BatchRunner<TProbe> _batches;
    private readonly Tier<TProbe> _tier;
    private OperationRunner<TProbe>? _below;

    private protected unsafe HashSession(StoreCore<TProbe> core, string? name, SessionEntry<TProbe>? entry)
        : base(core, name, entry)
    {
        Tier<TProbe> tier = _tier = core.Tiers[0];
        _seed = tier.Seed;
        FreeLists = tier.Log.Splices ? new FreeLists() : null;
        _attempt = new Attempt<TProbe>(tier, new SessionClock<TProbe>(Core.Clock), FreeLists);
        Runner = new OperationRunner<TProbe>(this, _attempt);
        _batches = new BatchRunner<TProbe>(this);
        QuietView.Of(Slot)->Begin(tier);
        if (entry is null) TimeToLive = Core.Options.TimeToLive;
    }

    /// <summary>
    /// The time to live of records that subsequent operations write, counted from the last write; zero for no expiry.
    /// Initially <see cref="StoreOptions.TimeToLive"/>. A pending operation keeps the value with which it was issued.
    /// </summary>
    /// <remarks>
    /// The first assignment in a store waits for calls of other sessions, so it must not be made in a user function.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    public TimeSpan TimeToLive
    {
        get => _attempt.Clock.TimeToLive;
        set
        {
            using SessionGate<TProbe>.Call call = BeginCall();
            _attempt.Clock.SetOwn(value, Epochs.SafeAsync);
            Runner.ForgetQuiet(); // how hits are tried depends on it
        }
    }

    internal override Lifetime Life => _attempt.Clock.Own;
    internal Attempt<TProbe> Attempt => _attempt;
    internal OperationRunner<TProbe> Runner { get; }
    internal FreeLists? FreeLists { get; }

    /// <summary>Reads a value. If its record is on disk, the operation becomes pending.</summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    public Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation =>
        Execute<ReadAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Replaces a value blindly, or inserts it. May wait, outside of every epoch, for space in the log.
    /// </summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    /// <exception cref="StorageException">The log's memory is full and cannot be written to disk.</exception>
    public Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation =>
        Execute<UpsertAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Updates a value by the user's functions. If its record is on disk, the operation becomes pending. May wait,
    /// outside of every epoch, for space in the log.
    /// </summary>
    /// <returns>
    /// <see cref="Status.Created"/> if the key had no live record, <see cref="Status.Ok"/> if its record was updated,
    /// or <see cref="Status.Pending"/>.
    /// </returns>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The record is too large, or memory is used up.</exception>
    /// <exception cref="StorageException">The log's memory is full and cannot be written to disk.</exception>
    public Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation =>
        Execute<RmwAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Deletes a key. Returns <see cref="Status.NotFound"/> only if the key is known not to exist; the disk is not
    /// searched for an older record.
    /// </summary>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="StorageException">The log's memory is full and cannot be written to disk.</exception>
    public Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation =>
        Execute<DeleteAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation>(key, ref operation);

    /// <summary>
    /// Reads many values with few epoch announcements and with prefetching; returns when all are read.
    /// </summary>
    /// <param name="batch">The operations.</param>
    /// <param name="serialNumber">
    /// One serial number for the whole batch, above <see cref="SessionCore{TProbe}.SerialNumber"/>, so that a commit
    /// covers all of it or nothing. Null: each operation gets a number of its own.
    /// </param>
    public void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<ReadAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation, TBatch>(
            ref batch, serialNumber);

    /// <summary>
    /// Upserts many values with few epoch announcements. A user function that throws ends the batch at its operation.
    /// </summary>
    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    public void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<UpsertAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation, TBatch>(
            ref batch, serialNumber);

    /// <summary>
    /// Updates many values with few epoch announcements. A user function that throws ends the batch at its operation.
    /// </summary>
    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    public void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<RmwAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation, TBatch>(
            ref batch, serialNumber);

    /// <summary>Deletes many keys with few epoch announcements.</summary>
    /// <inheritdoc cref="ReadBatch{TKey, TOperation, TBatch}"/>
    public void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber = null)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        _batches.Run<DeleteAlgorithm<TProbe, HashEntries<TProbe>, TOperation>, TKey, TOperation, TBatch>(
            ref batch, serialNumber);

    /// <summary>
    /// Sets the serial number of the next operation, for callers that assign numbers themselves, such as positions in
    /// an input. A number that <see cref="CommitPoint.Excluded"/> of <see cref="SessionCore{TProbe}.RecoveredPoint"/>
    /// lists reissues that operation: numbering then continues from the last number, and later commits do not exclude
    /// it.
    /// </summary>
    /// <param name="serialNumber">
    /// A number above <see cref="SessionCore{TProbe}.SerialNumber"/>, or an excluded number to reissue.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The number is neither above the last one nor an excluded number that has not been reissued.
    /// </exception>
    public void SetNextSerialNumber(long serialNumber)
    {
        using SessionGate<TProbe>.Call call = BeginCall();
        Runner.Serials.SetNext(serialNumber);
    }

    // Only sessions of the store's own work in the tier below.
    internal override OperationRunner<TProbe> RunnerOf(Tier<TProbe> tier) => tier == _tier
        ? Runner
        : _below ??= new OperationRunner<TProbe>(this, new Attempt<TProbe>(tier, _attempt.Clock, freeLists: null));

    private protected override void ReleaseEngine()
    {
        base.ReleaseEngine();
        _attempt.Cache.Retire();
        if (FreeLists is not null) ((InMemoryAllocator<TProbe>)_tier.Log).Adopt(FreeLists);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Status Execute<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation => TOperation.RunsUserCode
            ? ExecuteGuarded<TAlgorithm, TKey, TOperation>(key, ref operation)
            : ExecutePlainly<TAlgorithm, TKey, TOperation>(key, ref operation);

    private unsafe Status ExecuteGuarded<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        var view = (QuietView*)IdleSlot();
        try
        {
            if (TryQuiet<TAlgorithm, TKey, TOperation>(view, key, ref operation)) return Status.Ok;
        }
        catch
        {
            Runner.Abandon();
            throw;
        }

        return ExecuteFurther<TAlgorithm, TKey, TOperation>(key, ref operation);
    }

    // The long way gets a copy of the operation, so that a hit has it in registers.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe Status ExecutePlainly<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (TryQuiet<TAlgorithm, TKey, TOperation>((QuietView*)IdleSlot(), key, ref operation)) return Status.Ok;
        (operation, Status status) = ExecuteFurther<TAlgorithm, TKey, TOperation>(key, operation);
        return status;
    }

    // If it returns false in a quiet epoch, the epoch stays announced: ExecuteFurther continues in it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryQuiet<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        long quiet = TAlgorithm.Mutates ? view->UpdateQuiet : view->ReadQuiet;
        if (!EpochTable<TProbe>.TryEnterQuiet(&view->Slot, quiet)) return false;
        ulong hash = key.Hash(view->Seed);
        if (!view->TryFind<TProbe>(hash, TAlgorithm.Mutates, out byte* record, out long address)) return false;
        if (!TAlgorithm.TryHit(_attempt, view, key, record, address, ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // The same for records that expire, and those beside them; its own method, so that hits on others stay short.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryExpiring<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, bool judges, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        long quiet = view->Slot.Quiet;
        if (!EpochTable<TProbe>.TryEnterQuiet(&view->Slot, quiet)) return false;
        ulong hash = key.Hash(view->Seed);
        if (!view->TryFind<TProbe>(hash, TAlgorithm.Mutates, out byte* record, out long address)) return false;
        if (!TAlgorithm.TryHitExpiring(_attempt, view, key, record, address, judges, ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // Whether the session is still in the quiet epoch in which its operation was no hit.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool IsInQuiet(QuietView* view, out long quiet)
    {
        quiet = view->Slot.Epoch;
        return quiet == view->Slot.Quiet && Epochs.IsQuiet(quiet);
    }

    // The same for a key whose entry is in the second bucket of its chain: one in a hundred in an index half full, one
    // in thirteen before it doubles (docs/internals/hit-path.md).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryOverflow<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!IsInQuiet(view, out long quiet)) return false;
        ulong hash = key.Hash(view->Seed);
        if (!view->TryFindNext<TProbe>(hash, TAlgorithm.Mutates, out byte* record, out long address)) return false;
        if (!TAlgorithm.TryHit(_attempt, view, key, record, address, ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // Counts the operation and leaves its epoch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe void LeaveDone(QuietView* view, long quiet)
    {
        view->Slot.Serial++;
        if (!EpochTable<TProbe>.TryLeave(&view->Slot, quiet)) DrainAfter(quiet);
        else GC.KeepAlive(this); // the slot is this session's
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void DrainAfter(long left) => Epochs.DrainAfter(left);

    // No address of the caller's: it could not have the operation in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe (TOperation Operation, Status Status) ExecuteFurther<TAlgorithm, TKey, TOperation>(
        scoped TKey key, TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        QuietView* view = QuietView.Of(Slot);
        bool hasExpiring = view->HasExpiring, isRecent = !hasExpiring || _attempt.Clock.IsRecent;
        if (isRecent)
        {
            bool isHit = hasExpiring
                ? TryExpiring<TAlgorithm, TKey, TOperation>(view, key, judges: false, ref operation)
                : TryOverflow<TAlgorithm, TKey, TOperation>(view, key, ref operation);
            if (isHit) return (operation, Status.Ok);
        }

        TOperation further = operation;
        Status status = isRecent
            ? ExecuteAbsent<TAlgorithm, TKey, TOperation>(view, key, ref further)
            : ExecuteFurther<TAlgorithm, TKey, TOperation>(key, ref further);
        return (further, status);
    }

    private unsafe Status ExecuteFurther<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        QuietView* view = QuietView.Of(Slot);
        return TryFurtherGuarded<TAlgorithm, TKey, TOperation>(view, key, ref operation)
            ? Status.Ok
            : ExecuteAbsent<TAlgorithm, TKey, TOperation>(view, key, ref operation);
    }

    private unsafe Status ExecuteAbsent<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation => !TAlgorithm.Mutates && TryAbsent(view, key)
            ? Status.NotFound
            : ExecuteLast<TAlgorithm, TKey, TOperation>(key, ref operation);

    // Reads a key of whose hash the index knows nothing. A tier below may know it.
    private unsafe bool TryAbsent<TKey>(QuietView* view, scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        if (_tier.Below is not null || !IsInQuiet(view, out long quiet)) return false;
        if (!view->IsAbsent<TProbe>(key.Hash(view->Seed))) return false;
        LeaveDone(view, quiet);
        return true;
    }

    private unsafe bool TryFurtherGuarded<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            if (!view->HasExpiring) return TryOverflow<TAlgorithm, TKey, TOperation>(view, key, ref operation);
            using UserCode.Scope inside = UserCode.Enter(Mark);
            return TryExpiring<TAlgorithm, TKey, TOperation>(view, key, judges: true, ref operation);
        }
        catch
        {
            Runner.Abandon();
            throw;
        }
    }

    // All operations that are not hits. The hash is computed again: keeping it would slow down hits.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe Status ExecuteLast<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        if (!Epochs.IsQuiet(Slot->Epoch)) Epochs.Refresh(Slot);
        RefuseIfShut();
        Outcome outcome = Runner.TryEntered<TAlgorithm, TKey, TOperation>(Slot, key, hash, ref operation, null);
        return outcome <= Outcome.NotFound
            ? (Status)(int)outcome
            : Runner.RetryUntilDone<TAlgorithm, TKey, TOperation>(key, hash, ref operation, outcome);
    }
}
