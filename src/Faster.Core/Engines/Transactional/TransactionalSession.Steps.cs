using System.Runtime.CompilerServices;
using Faster.Analytics.Transfer;
using Faster.Contracts;
using Faster.Engines.Transactional.Locks;
using Faster.Engines.Transactional.Running;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Tables;

namespace Faster.Engines.Transactional;

/// <summary>The four operations, each as a transaction of one record.</summary>
public unsafe partial class TransactionalSession
{
    private const int CopiedValue = 256, UnlockedReads = 4;

    /// <summary>One kind of operation.</summary>
    private interface IStep<TOperation>
        where TOperation : struct, IOperation
    {
        /// <summary>How it locks its record.</summary>
        static abstract RecordAccess Access { get; }

        /// <summary>Makes one attempt on a located key. The caller releases what it has locked.</summary>
        static abstract Outcome TryRun<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct;

        /// <summary>Works on the value of a record that was found, a word, if its lock allows it at once.</summary>
        static virtual bool TryHit(ulong* word, byte* value, ref TOperation operation) => false;
    }

    private readonly struct ReadStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IReadOperation
    {
        public static RecordAccess Access => RecordAccess.Read;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static Outcome TryRun<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            if (!session._version.MayReadUnlocked) return ReadLocked(session, key, ref at, ref operation, out status);
            byte* record = session._table.Find(key, ref at.Entry);
            if (record == null)
            {
                status = Status.NotFound; // it was absent at a moment of the search
                return Outcome.Ok;
            }

            return TOperation.ValueSize == sizeof(ulong)
                && TryHit(RecordTable.WordOf(record), RecordTable.ValueSlotOf(record, key.SlotSize), ref operation)
                ? Outcome.Ok
                : ReadFurther(session, key, ref at, ref operation, out status);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryHit(ulong* word, byte* value, ref TOperation operation)
        {
            ulong seen = LockWord.Read(word);
            ulong copy = Volatile.Read(ref *(ulong*)value);
            if (!LockWord.IsReadable(seen) || !LockWord.IsUnchanged(word, seen)) return false;
            operation.SingleRead(new ReadOnlySpan<byte>(&copy, sizeof(ulong)));
            return true;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Outcome ReadFurther<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            byte* copy = stackalloc byte[CopiedValue];
            for (int i = 0; i < UnlockedReads; i++)
            {
                byte* record = session._table.Find(key, ref at.Entry);
                status = record == null ? Status.NotFound : Status.Ok;
                if (record == null) return Outcome.Ok;
                ulong* word = RecordTable.WordOf(record);
                ulong seen = LockWord.Read(word);
                if (!LockWord.IsReadable(seen)) continue;
                ReadOnlySpan<byte> value = ValueLayout.Bytes(
                    RecordTable.ValueSlotOf(record, key.SlotSize), TOperation.ValueSize);
                if (value.Length > CopiedValue) break;
                value.CopyTo(new Span<byte>(copy, CopiedValue));
                Volatile.ReadBarrier();
                if (!LockWord.IsUnchanged(word, seen)) continue;
                operation.SingleRead(new ReadOnlySpan<byte>(copy, value.Length));
                return Outcome.Ok;
            }

            return ReadLocked(session, key, ref at, ref operation, out status);
        }

        private static Outcome ReadLocked<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            Outcome locked = session._locks.TryLock(key, ref at, null, isAbsentExclusive: false);
            status = at.Record == null ? Status.NotFound : Status.Ok;
            if (locked == Outcome.Ok) locked = session._locks.TryStamp(at, isWritten: false);
            if (locked != Outcome.Ok || at.Record == null) return locked;
            operation.SingleRead(
                ValueLayout.Bytes(RecordTable.ValueSlotOf(at.Record, key.SlotSize), TOperation.ValueSize));
            return Outcome.Ok;
        }
    }

    /// <summary>How an operation that updates changes a value.</summary>
    private interface IUpdate<TOperation>
        where TOperation : struct, IOperation
    {
        /// <summary>The status of an update of a key without a record.</summary>
        static abstract Status WhenAbsent { get; }

        /// <summary>Changes a value where it is. False: nothing has changed.</summary>
        static abstract bool TryInPlace(ref TOperation operation, ref ValueSlot value);

        /// <summary>Writes the key's new value to a buffer, made of the old one, or of none.</summary>
        static abstract void Write(
            ref TOperation operation, bool exists, ReadOnlySpan<byte> old, ValueBuffer value);

        /// <summary>Makes the key's value anew, of the record that is locked, or of none.</summary>
        static abstract Outcome TryMake<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct;
    }

    private readonly struct UpdateStep<TOperation, TUpdate> : IStep<TOperation>
        where TOperation : struct, IOperation
        where TUpdate : struct, IUpdate<TOperation>
    {
        public static RecordAccess Access => RecordAccess.Write;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryHit(ulong* word, byte* value, ref TOperation operation)
        {
            if (!LockWord.TryTakeAtOnce(word, isExclusive: true)) return false;
            bool isDone = TryInPlace(value, sizeof(ulong), ref operation);
            LockWord.Release(word, isExclusive: true);
            return isDone;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static Outcome TryRun<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            Outcome locked = session._locks.TryLock(key, ref at, null, isAbsentExclusive: true);
            if (locked == Outcome.Ok && session._redo is not null)
                return session.TryUpdateLogged<TKey, TOperation, TUpdate>(key, ref at, ref operation, out status);
            if (locked == Outcome.Ok) locked = session._locks.TryStamp(at, isWritten: true);
            if (locked != Outcome.Ok) return locked;
            bool isDone = at.Record != null && TryInPlace(
                RecordTable.ValueSlotOf(at.Record, key.SlotSize), TOperation.ValueSize, ref operation);
            return isDone ? Outcome.Ok : TUpdate.TryMake(session, key, ref at, ref operation, out status);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static bool TryInPlace(byte* value, int size, ref TOperation operation)
        {
            var slot = ValueLayout.At(value, size);
            Probe.Point(ProbePoint.RecordUpdate);
            return TUpdate.TryInPlace(ref operation, ref slot);
        }
    }

    private readonly struct Upserting<TOperation> : IUpdate<TOperation>
        where TOperation : struct, IUpsertOperation
    {
        public static Status WhenAbsent => Status.Ok;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryInPlace(ref TOperation operation, ref ValueSlot value) =>
            operation.ConcurrentWrite(ref value);

        public static void Write(
            ref TOperation operation, bool exists, ReadOnlySpan<byte> old, ValueBuffer value)
        {
            Span<byte> made = value.GetSpan(operation.Length)[..operation.Length];
            made.Clear();
            operation.SingleWrite(made);
            value.Advance(made.Length);
        }

        public static Outcome TryMake<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            if (!session._locks.TryMake(key, ref at, operation.Length, out Span<byte> made))
                return Outcome.AllocationFailed;
            operation.SingleWrite(made);
            session.Put(ref at);
            return Outcome.Ok;
        }
    }

    private readonly struct Modifying<TOperation> : IUpdate<TOperation>
        where TOperation : struct, IRmwOperation
    {
        public static Status WhenAbsent => Status.Created;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryInPlace(ref TOperation operation, ref ValueSlot value) =>
            operation.InPlaceUpdate(ref value);

        public static void Write(
            ref TOperation operation, bool exists, ReadOnlySpan<byte> old, ValueBuffer value)
        {
            if (exists) operation.CopyUpdate(old, value);
            else operation.InitialUpdate(value);
        }

        public static Outcome TryMake<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            ValueBuffer buffer = session._buffer;
            buffer.Clear();
            status = at.Record == null ? WhenAbsent : Status.Ok;
            Write(ref operation, at.Record != null, session.ValueOf(key, at), buffer);
            return session.TryPut(key, ref at, buffer.Written);
        }
    }

    private readonly struct DeleteStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IDeleteOperation
    {
        public static RecordAccess Access => RecordAccess.Write;

        public static Outcome TryRun<TKey>(
            TransactionalSession session, scoped TKey key, ref LockedKey at, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            Outcome locked = session._locks.TryLock(key, ref at, null, isAbsentExclusive: false);
            status = at.Record == null ? Status.NotFound : Status.Ok;
            if (locked == Outcome.Ok)
            {
                locked = session._redo is null
                    ? session._locks.TryStamp(at, isWritten: true)
                    : session.TryPublishRemoval(key, at);
            }

            if (locked != Outcome.Ok || at.Record == null) return locked;
            session.Remove(ref at);
            return Outcome.Ok;
        }
    }

    /// <summary>Gives a key a value, both as bytes, without user code: for recovery.</summary>
    /// <exception cref="LimitExceededException">Memory is used up.</exception>
    internal void Put(ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> value)
    {
        var key = new ImportedKey(keyBytes, _store.Tier.Schema.KeySlotSize);
        Restore(key, key.Hash(_seed), value, isRemoval: false);
    }

    /// <summary>Gives a key a value, or none, without user code: for recovery.</summary>
    /// <exception cref="LimitExceededException">Memory is used up.</exception>
    internal void Restore<TKey>(scoped TKey key, ulong hash, ReadOnlySpan<byte> value, bool isRemoval)
        where TKey : struct, IKey, allows ref struct
    {
        var backoff = NewBackoff();
        for (; ; )
        {
            EnterQuietly(mutates: true);
            LockedKey at = new(hash, 0, RecordAccess.Write);
            Outcome outcome;
            try
            {
                outcome = _table.Locate(hash, out at.Entry);
                if (outcome == Outcome.Ok) outcome = _locks.TryLock(key, ref at, null, isAbsentExclusive: true);
                if (outcome == Outcome.Ok && !isRemoval) outcome = TryPut(key, ref at, value);
                else if (outcome == Outcome.Ok && at.Record != null) Remove(ref at);
            }
            finally
            {
                _locks.Release(ref at);
                Epochs.Leave(Slot);
                GC.KeepAlive(this); // the slot is this session's
            }

            if (outcome == Outcome.Ok) return;
            backoff.Wait(outcome, Slot);
        }
    }

    private void Remove(ref LockedKey at)
    {
        _locks.Delete(ref at);
        CountRecords(-1);
    }

    // The bytes of a locked key's value; none if it has no record.
    private ReadOnlySpan<byte> ValueOf<TKey>(scoped TKey key, in LockedKey at)
        where TKey : struct, IKey, allows ref struct => at.Record == null
            ? default
            : ValueLayout.Bytes(RecordTable.ValueSlotOf(at.Record, key.SlotSize), _table.Layout.ValueSize);

    // Gives a locked key a value: in place, where that fits.
    private Outcome TryPut<TKey>(scoped TKey key, ref LockedKey at, ReadOnlySpan<byte> value)
        where TKey : struct, IKey, allows ref struct
    {
        if (_locks.Fits(at, key.SlotSize, value.Length))
        {
            _locks.Write(at, key.SlotSize, value);
            return Outcome.Ok;
        }

        if (!_locks.TryMake(key, ref at, value.Length, out Span<byte> made)) return Outcome.AllocationFailed;
        value.CopyTo(made);
        Put(ref at);
        return Outcome.Ok;
    }

    // Puts the record that was made into the place of the key's, or of none.
    private void Put(ref LockedKey at)
    {
        if (at.Record != null)
        {
            _locks.Replace(ref at);
            return;
        }

        _locks.Link(ref at);
        KeyLocks.Confirm(ref at);
        CountRecords(1);
    }
}
