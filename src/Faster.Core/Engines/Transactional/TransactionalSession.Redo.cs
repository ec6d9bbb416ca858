using Faster.Contracts;
using Faster.Engines.Transactional.Locks;
using Faster.Engines.Transactional.Redo;
using Faster.Engines.Transactional.Running;
using Faster.Log.Records;
using Faster.OperationLogs;
using Faster.Tables;

namespace Faster.Engines.Transactional;

/// <summary>Operations of a store with a redo log: each is published before it is installed.</summary>
public unsafe partial class TransactionalSession
{
    private readonly SessionRedo? _redo;
    private readonly ValueScratch _scratch = new();

    // Makes the new value in a copy, publishes it, and installs it: no one sees what is not published.
    private Outcome TryUpdateLogged<TKey, TOperation, TUpdate>(
        scoped TKey key, ref LockedKey at, ref TOperation operation, out Status status)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TUpdate : struct, IUpdate<TOperation>
    {
        status = at.Record == null ? TUpdate.WhenAbsent : Status.Ok;
        ReadOnlySpan<byte> value;
        if (at.Record != null && TryUpdateCopy<TKey, TOperation, TUpdate>(key, at, ref operation, out byte* copy))
        {
            value = ValueLayout.Bytes(copy, _table.Layout.ValueSize);
        }
        else
        {
            _buffer.Clear();
            TUpdate.Write(ref operation, at.Record != null, ValueOf(key, at), _buffer);
            value = _buffer.Written;
        }

        if (!_locks.Fits(at, key.SlotSize, value.Length))
        {
            if (!_locks.TryMake(key, ref at, value.Length, out Span<byte> made)) return Outcome.AllocationFailed;
            value.CopyTo(made);
        }

        if (!_locks.TryReserveCaptures(at, isWritten: true)) return Outcome.CapturesFull;
        bool isNew = at.Record == null;
        if (isNew) _locks.Link(ref at);
        _redo!.Begin();
        _redo.AddPut(key, value);
        Outcome published = TryPublish(at);
        if (published != Outcome.Ok) return published;
        if (isNew) KeyLocks.Confirm(ref at);
        else if (at.Made != null) _locks.Replace(ref at);
        else _locks.Write(at, key.SlotSize, value);
        CountRecords(isNew ? 1 : 0);
        return Outcome.Ok;
    }

    private bool TryUpdateCopy<TKey, TOperation, TUpdate>(
        scoped TKey key, in LockedKey at, ref TOperation operation, out byte* copy)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TUpdate : struct, IUpdate<TOperation>
    {
        int size = _table.Layout.ValueSize;
        copy = _scratch.Copy(RecordTable.ValueSlotOf(at.Record, key.SlotSize), size);
        ValueSlot updated = ValueLayout.At(copy, size);
        return TUpdate.TryInPlace(ref operation, ref updated);
    }

    // Publishes that a locked key has no value any more; where there was none, the number of the operation.
    private Outcome TryPublishRemoval<TKey>(scoped TKey key, in LockedKey at)
        where TKey : struct, IKey, allows ref struct
    {
        if (!_locks.TryReserveCaptures(at, isWritten: true)) return Outcome.CapturesFull;
        _redo!.Begin();
        if (at.Record != null) _redo.AddRemoval(key);
        return TryPublish(at);
    }

    private Outcome TryPublish(in LockedKey at)
    {
        Outcome reserved = _redo!.TryReserve(out LogReservation reservation);
        if (reserved != Outcome.Ok) return reserved;
        _locks.StampReserved(at, isWritten: true);
        _redo.Publish(reservation);
        return Outcome.Ok;
    }

    // Leaves the number of a transaction that has read without locks.
    private Outcome TryPublishNumber()
    {
        if (_redo is null) return Outcome.Ok;
        _redo.Begin();
        return _redo.TryPublish();
    }

    // The session is in a unit, which has ended for commits when this returns.
    private protected override ValueTask OnUnitWhole()
    {
        if (_redo is null) return default;
        var backoff = NewBackoff();
        for (; ; )
        {
            Outcome outcome = _redo.TryPublishUnitEnd();
            if (outcome == Outcome.Ok) return _redo.Logs.Waits ? UnitDurableAsync() : default;
            backoff.Wait(outcome, Slot);
        }
    }

    private Backoff NewBackoff() => new(_store.Tier, _captures, _redo?.Logs);
}
