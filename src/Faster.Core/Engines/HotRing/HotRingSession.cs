using System.ComponentModel;
using System.Runtime.CompilerServices;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.HotRing.Hotspots;
using Faster.Engines.HotRing.Rehash;
using Faster.Engines.HotRing.Rings;
using Faster.Epochs;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Engines.HotRing;

/// <summary>
/// A logical client of a HotRing store. Its operations are never pending. Emitted code derives the session type with
/// the user's key and value types from it.
/// </summary>
/// <remarks>
/// Values of up to 8 bytes are updated in place, by one compare-and-swap or by the user's atomics; longer ones are
/// never changed, but replaced (read-copy-update; paper 002 §3.2.2). So no record has a latch. Calls of a session must
/// not overlap: <see cref="SessionCore"/> says what is checked.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public unsafe partial class HotRingSession : SessionCore, ICopyingSession
{
    private readonly HotRingStore _store;
    private readonly HashSeed _seed;
    private readonly RingWork _work;
    private RingView _view; // of the index's state in which the session has worked last
    private int _untilDue;
    private long _records; // inserted, less those deleted

    internal HotRingSession(HotRingStore store, SessionEntry entry)
        : base(store.Epochs, null, entry)
    {
        (_store, _seed) = (store, store.Seed);
        _work = new RingWork(store, Slot->Index + 1);
        _untilDue = store.Accesses.NextFirst();
    }

    /// <summary>Starts a session of an emitted type.</summary>
    /// <param name="start">What the store hands to it.</param>
    protected HotRingSession(SessionStart start)
        : this((HotRingStore)start.Store, start.Entry)
    {
    }

    internal sealed override SessionRegistry Registry => _store.Sessions;

    internal RingWork Work => _work;

    internal void AddFiguresTo(SessionFigures figures)
    {
        figures.Records += _records;
        _work.AddFiguresTo(figures);
    }

    /// <inheritdoc/>
    protected internal Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
    {
        ulong hash = key.Hash(_seed);
        nint page = CallerThread.StackPage;
        EpochSlot* slot = Slot;
        if (slot->Home != page)
            return ExecuteClaimed<ReadStep<TOperation>, TKey, TOperation>(key, hash, ref operation, page);
        if (slot->Epoch != 0) SessionMisuse.ThrowInUse(this);
        bool isDone = TOperation.RunsUserCode
            ? TryReadGuarded(slot, key, hash, ref operation, out Status status)
            : TryRead(slot, key, hash, ref operation, out status);
        return isDone
            ? status
            : ExecuteFurther<ReadStep<TOperation>, TKey, TOperation>(slot, key, hash, ref operation);
    }

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

    private protected override bool IsStoreClosing => _store.IsClosing;

    private protected override void ReleaseEngine() => _store.Adopt(this);

    private protected override bool TryLetGo()
    {
        _view = default;
        return _work.TryLetGo();
    }

    private protected override void BeginAnew()
    {
        base.BeginAnew();
        _records = 0;
        _work.BeginAnew();
        _untilDue = _store.Accesses.NextFirst();
    }

    private bool TryReadGuarded<TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation, out Status status)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
    {
        try
        {
            return TryRead(slot, key, hash, ref operation, out status);
        }
        catch
        {
            Abandon();
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryRead<TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation, out Status status)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
    {
        status = Status.NotFound;
        // A late caller may miscount, no more.
        if (--_untilDue <= 0 || !EpochTable.TryEnterQuiet(slot)) return false;
        Probe.Point(ProbePoint.RingRead);
        ulong head = Volatile.Read(ref *_view.HeadOf(hash));
        if (HeadWord.IsSampling(head)) return false;
        byte* item = RingEditor.Find(head, key, hash, out bool isMissing);
        if (item == null && !isMissing) return false;
        if (item != null)
        {
            ReadValue(ItemLayout.ValueSlotOf(item, key.SlotSize), ref operation);
            status = Status.Ok;
        }

        Epochs.Leave(slot);
        GC.KeepAlive(this); // the slot is this session's
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void ReadValue<TOperation>(byte* slot, ref TOperation operation)
        where TOperation : struct, IReadOperation
    {
        if (TOperation.ValueSize is < 1 or > sizeof(ulong))
        {
            operation.SingleRead(ValueLayout.Bytes(slot, TOperation.ValueSize));
        }
        else if (TOperation.LatchesReads)
        {
            ulong copy = Volatile.Read(ref *(ulong*)slot);
            operation.SingleRead(new ReadOnlySpan<byte>(&copy, TOperation.ValueSize));
        }
        else
        {
            operation.ConcurrentRead(new ReadOnlySpan<byte>(slot, TOperation.ValueSize));
        }
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
        if (slot->Epoch != 0) SessionMisuse.ThrowInUse(this);
        return TryHitGuarded<TStep, TKey, TOperation>(slot, key, hash, ref operation)
            ? Status.Ok
            : ExecuteFurther<TStep, TKey, TOperation>(slot, key, hash, ref operation);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryHitGuarded<TStep, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            if (--_untilDue <= 0 || !EpochTable.TryEnterQuiet(slot) || !TStep.MayHit) return false;
            Probe.Point(ProbePoint.RingRead);
            ulong head = Volatile.Read(ref *_view.HeadOf(hash));
            if (HeadWord.IsSampling(head)) return false;
            byte* item = RingEditor.Find(head, key, hash, out _);
            Probe.Point(ProbePoint.RecordUpdate);
            if (item == null || !TStep.TryHit(this, ItemLayout.ValueSlotOf(item, key.SlotSize), ref operation))
                return false;
            Epochs.Leave(slot);
            GC.KeepAlive(this); // the slot is this session's
            return true;
        }
        catch
        {
            Abandon();
            throw;
        }
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
        return TStep.TryAtOnce(this, Slot, key, hash, ref operation, out Status status)
            ? status
            : ExecuteFurther<TStep, TKey, TOperation>(Slot, key, hash, ref operation);
    }

    // All operations that are not done at once.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Status ExecuteFurther<TStep, TKey, TOperation>(
        EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        using SessionGate.Call call = ContinueAsCall(slot);
        if (Slot->Epoch == 0) Epochs.Enter(Slot); // it is due, or no quiet epoch was recorded
        bool isDone = TryEntered<TStep, TKey, TOperation>(key, hash, ref operation, out Status status);
        if (_store.Accesses.IsAboveLimit) _store.RequestRehash();
        if (isDone) return status;
        var wait = new SpaceWait(_store);
        while (!isDone)
        {
            wait.Once();
            Epochs.Enter(Slot);
            isDone = TryEntered<TStep, TKey, TOperation>(key, hash, ref operation, out status);
        }

        return status;
    }

    // Carries an operation out under the entered epoch, and leaves it. False: it lacks memory.
    private bool TryEntered<TStep, TKey, TOperation>(
        scoped TKey key, ulong hash, ref TOperation operation, out Status status)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        bool isDone;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(Mark);
            RefreshState();
            bool isDue = _untilDue <= 0;
            if (isDue) _untilDue = _store.Accesses.Interval;
            isDone = TStep.TryRun(this, key, hash, ref operation, isDue, out status);
        }
        catch
        {
            Abandon();
            throw;
        }

        Epochs.Leave(Slot);
        GC.KeepAlive(this); // the slot is this session's
        return isDone;
    }

    /// <summary>Reads the state of the index, unless nothing was published since the session did it last.</summary>
    private void RefreshState()
    {
        if (Epochs.IsQuiet(Slot->Quiet) && Slot->Quiet == Slot->Epoch) return;
        Epochs.Refresh(Slot);
        Probe.Point(ProbePoint.RingRead);
        if (_work.TryRefresh()) _view = _work.Editor.View;
        Slot->Quiet = Slot->Epoch;
    }

    private void Abandon()
    {
        _work.Unreserve();
        if (Slot->Epoch != 0) Epochs.Leave(Slot);
        GC.KeepAlive(this); // which owns the slot
    }
}
