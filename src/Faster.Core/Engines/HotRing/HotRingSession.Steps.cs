using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Engines.HotRing.Rings;
using Faster.Epochs;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Engines.HotRing;

/// <summary>The four operations.</summary>
public unsafe partial class HotRingSession
{
    /// <summary>One kind of operation.</summary>
    private interface IStep<TOperation>
        where TOperation : struct, IOperation
    {
        /// <summary>Whether the operation can be done with the item that a search has found.</summary>
        static abstract bool MayHit { get; }

        /// <summary>Does the operation with the value of an item, unless it must be replaced.</summary>
        static abstract bool TryHit(HotRingSession session, byte* slot, ref TOperation operation);

        /// <summary>
        /// Does the operation in the quiet epoch, if that is possible; otherwise the epoch stays announced.
        /// </summary>
        static abstract bool TryAtOnce<TKey>(
            HotRingSession session, EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct;

        /// <summary>Does the operation, in any case but that memory is short.</summary>
        static abstract bool TryRun<TKey>(
            HotRingSession session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct;
    }

    /// <summary>An operation that changes values, those of up to 8 bytes in place.</summary>
    private interface IUpdateStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IOperation
    {
        /// <summary>Runs the user's function on a value in place; false: <see cref="Replace"/> it.</summary>
        static abstract bool TryInPlace(ref ValueSlot value, ref TOperation operation);

        /// <summary>Makes the new value of up to 8 bytes.</summary>
        static abstract void Replace(HotRingSession session, ulong old, ref ulong copy, ref TOperation operation);
    }

    private static bool IsInPlace<TOperation>()
        where TOperation : struct, IOperation => TOperation.ValueSize is >= 1 and <= sizeof(ulong);

    // Whether the operation itself changes a value by one atomic store or swap.
    private static bool IsAtomic<TOperation>()
        where TOperation : struct, IOperation =>
        !TOperation.LatchesUpdates && TOperation.ValueSize is 1 or 2 or 4 or 8;

    // Updates a value of up to 8 bytes by the operation's own atomics, or swaps a changed copy in. Always succeeds.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Update<TStep, TOperation>(HotRingSession session, byte* slot, ref TOperation operation)
        where TStep : struct, IUpdateStep<TOperation>
        where TOperation : struct, IOperation
    {
        if (IsAtomic<TOperation>())
        {
            var value = new ValueSlot(slot, TOperation.ValueSize);
            if (TStep.TryInPlace(ref value, ref operation)) return true;
        }

        ulong old = Volatile.Read(ref *(ulong*)slot);
        for (;;)
        {
            ulong copy = old;
            var value = new ValueSlot((byte*)&copy, TOperation.ValueSize);
            if (!TStep.TryInPlace(ref value, ref operation)) TStep.Replace(session, old, ref copy, ref operation);
            Probe.Point(ProbePoint.RecordUpdate);
            ulong seen = Interlocked.CompareExchange(ref *(ulong*)slot, copy, old);
            if (seen == old) return true;
            old = seen;
        }
    }

    private readonly struct ReadStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IReadOperation
    {
        public static bool MayHit => false;

        public static bool TryHit(HotRingSession session, byte* slot, ref TOperation operation) => false;

        public static bool TryAtOnce<TKey>(
            HotRingSession session, EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            return session.TryReadGuarded(slot, key, hash, ref operation, out status);
        }

        public static bool TryRun<TKey>(
            HotRingSession session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            bool isFound = session._work.Editor.Seek(key, hash, needsPrevious: false, out RingPlace place);
            if (isFound) ReadValue(ItemLayout.ValueSlotOf(place.Item, key.SlotSize), ref operation);
            session._work.Note(place, isFound, isReplaced: false, isDue);
            status = isFound ? Status.Ok : Status.NotFound;
            return true;
        }
    }

    private readonly struct UpsertStep<TOperation> : IUpdateStep<TOperation>
        where TOperation : struct, IUpsertOperation
    {
        public static bool MayHit => IsInPlace<TOperation>();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryHit(HotRingSession session, byte* slot, ref TOperation operation) =>
            Update<UpsertStep<TOperation>, TOperation>(session, slot, ref operation);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryInPlace(ref ValueSlot value, ref TOperation operation) =>
            operation.ConcurrentWrite(ref value);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static void Replace(HotRingSession session, ulong old, ref ulong copy, ref TOperation operation)
        {
            copy = 0;
            fixed (ulong* word = &copy) operation.SingleWrite(new Span<byte>(word, TOperation.ValueSize));
        }

        public static bool TryAtOnce<TKey>(
            HotRingSession session, EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            return session.TryHitGuarded<UpsertStep<TOperation>, TKey, TOperation>(slot, key, hash, ref operation);
        }

        public static bool TryRun<TKey>(
            HotRingSession session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            bool replaces = !IsInPlace<TOperation>();
            for (byte* item = null; ;)
            {
                bool isFound = session._work.Editor.Seek(key, hash, replaces, out RingPlace place);
                if (isFound && !replaces)
                {
                    session._work.Unreserve();
                    _ = TryHit(session, ItemLayout.ValueSlotOf(place.Item, key.SlotSize), ref operation);
                    session._work.Note(place, isFound: true, isReplaced: false, isDue);
                    return true;
                }

                if (item == null)
                {
                    byte* old = isFound ? place.Item : null;
                    if (!session._work.TryReserve(key, hash, operation.Length, old, out item)) return false;
                    byte* slot = ItemLayout.ValueSlotOf(item, key.SlotSize);
                    operation.SingleWrite(ValueLayout.Bytes(slot, TOperation.ValueSize));
                }

                if (session.TryLink(key, hash, isFound, ref place, item, isDue)) return true;
            }
        }
    }

    private readonly struct RmwStep<TOperation> : IUpdateStep<TOperation>
        where TOperation : struct, IRmwOperation
    {
        public static bool MayHit => IsInPlace<TOperation>();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryHit(HotRingSession session, byte* slot, ref TOperation operation) =>
            Update<RmwStep<TOperation>, TOperation>(session, slot, ref operation);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryInPlace(ref ValueSlot value, ref TOperation operation) =>
            operation.InPlaceUpdate(ref value);

        public static void Replace(HotRingSession session, ulong old, ref ulong copy, ref TOperation operation)
        {
            session._work.Buffer.Clear();
            operation.CopyUpdate(new ReadOnlySpan<byte>(&old, TOperation.ValueSize), session._work.Buffer);
            copy = 0;
            fixed (ulong* word = &copy) session._work.Buffer.Written.CopyTo(new Span<byte>(word, TOperation.ValueSize));
        }

        public static bool TryAtOnce<TKey>(
            HotRingSession session, EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            return session.TryHitGuarded<RmwStep<TOperation>, TKey, TOperation>(slot, key, hash, ref operation);
        }

        public static bool TryRun<TKey>(
            HotRingSession session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            byte* source = null; // of the value that the buffer has: the old item, or null for a first value
            for (byte* item = null; ;)
            {
                bool isFound = session._work.Editor.Seek(key, hash, !IsInPlace<TOperation>(), out RingPlace place);
                status = isFound ? Status.Ok : Status.Created;
                byte* old = isFound ? place.Item : null;
                if (isFound && IsInPlace<TOperation>())
                {
                    session._work.Unreserve();
                    _ = TryHit(session, ItemLayout.ValueSlotOf(old, key.SlotSize), ref operation);
                    session._work.Note(place, isFound: true, isReplaced: false, isDue);
                    return true;
                }

                if (item == null || source != old)
                {
                    session._work.Unreserve();
                    session.Make(old, ref operation);
                    ReadOnlySpan<byte> made = session._work.Buffer.Written;
                    if (!session._work.TryReserve(key, hash, made.Length, old, out item)) return false;
                    made.CopyTo(ValueLayout.Bytes(ItemLayout.ValueSlotOf(item, key.SlotSize), TOperation.ValueSize));
                    source = old;
                }

                if (session.TryLink(key, hash, isFound, ref place, item, isDue)) return true;
            }
        }
    }

    private readonly struct DeleteStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IDeleteOperation
    {
        public static bool MayHit => false;

        public static bool TryHit(HotRingSession session, byte* slot, ref TOperation operation) => false;

        public static bool TryAtOnce<TKey>(
            HotRingSession session, EpochSlot* slot, scoped TKey key, ulong hash, ref TOperation operation,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            return session.TryHitGuarded<DeleteStep<TOperation>, TKey, TOperation>(slot, key, hash, ref operation);
        }

        public static bool TryRun<TKey>(
            HotRingSession session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.NotFound;
            for (RingPlace place; ; )
            {
                bool isFound = session._work.Editor.Seek(key, hash, needsPrevious: true, out place);
                if (isFound && !session._work.Editor.TryDelete(key, hash, ref place)) continue;
                session._work.Note(place, isFound: false, isReplaced: false, isDue);
                if (!isFound) return true;
                session._records--;
                status = Status.Ok;
                return true;
            }
        }
    }

    private bool TryLink<TKey>(scoped TKey key, ulong hash, bool isFound, ref RingPlace place, byte* item, bool isDue)
        where TKey : struct, IKey, allows ref struct
    {
        if (!isFound)
        {
            if (!RingEditor.TryInsert(place, item)) return false;
            _records++;
            _work.Note(place, isFound: false, isReplaced: false, isDue);
        }
        else
        {
            // Counted before the replacement, because the item before may be unlinked at any time after it.
            _work.Note(place, isFound: true, isReplaced: true, isDue);
            if (!_work.Editor.TrySupersede(key, hash, ref place, item)) return false;
        }

        _work.Linked();
        return true;
    }

    private void Make<TOperation>(byte* old, ref TOperation operation)
        where TOperation : struct, IRmwOperation
    {
        _work.Buffer.Clear();
        if (old == null) operation.InitialUpdate(_work.Buffer);
        else operation.CopyUpdate(_store.Layout.Value(old), _work.Buffer);
    }
}
