using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.HotRing.Rings;
using Faster.Log.Records;

namespace Faster.HotRing;

/// <summary>The four operations.</summary>
public sealed unsafe partial class HotRingSession<TProbe>
{
    /// <summary>One kind of operation.</summary>
    private interface IStep<TOperation>
        where TOperation : struct, IOperation
    {
        /// <summary>Whether the operation can be done with the item that a search has found.</summary>
        static abstract bool MayHit { get; }

        /// <summary>Does the operation with the value of an item, unless it must be replaced.</summary>
        static abstract bool TryHit(HotRingSession<TProbe> session, byte* slot, ref TOperation operation);

        /// <summary>Does the operation, in any case but that memory is short.</summary>
        static abstract bool TryRun<TKey>(
            HotRingSession<TProbe> session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct;
    }

    private static bool IsInPlace<TOperation>()
        where TOperation : struct, IOperation => TOperation.ValueSize is >= 1 and <= sizeof(ulong);

    // Whether the operation itself changes a value by one atomic store or swap.
    private static bool IsAtomic<TOperation>()
        where TOperation : struct, IOperation =>
        !TOperation.LatchesUpdates && TOperation.ValueSize is 1 or 2 or 4 or 8;

    private readonly struct ReadStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IReadOperation
    {
        public static bool MayHit => false;

        public static bool TryHit(HotRingSession<TProbe> session, byte* slot, ref TOperation operation) => false;

        public static bool TryRun<TKey>(
            HotRingSession<TProbe> session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            bool isFound = session._editor.Seek(key, hash, needsPrevious: false, out RingPlace place);
            if (isFound) ReadValue(place.Item + ItemLayout.KeyOffset + key.SlotSize, ref operation);
            session.Note(place, isFound, isReplaced: false, isDue);
            status = isFound ? Status.Ok : Status.NotFound;
            return true;
        }
    }

    private readonly struct UpsertStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IUpsertOperation
    {
        public static bool MayHit => IsInPlace<TOperation>();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryHit(HotRingSession<TProbe> session, byte* slot, ref TOperation operation)
        {
            if (IsAtomic<TOperation>())
            {
                var value = new ValueSlot(slot, TOperation.ValueSize);
                if (operation.ConcurrentWrite(ref value)) return true;
            }

            ulong old = Volatile.Read(ref *(ulong*)slot);
            for (;;)
            {
                ulong copy = old;
                var value = new ValueSlot((byte*)&copy, TOperation.ValueSize);
                if (!operation.ConcurrentWrite(ref value))
                {
                    copy = 0;
                    operation.SingleWrite(value.Bytes);
                }

                TProbe.Point(ProbePoint.RecordUpdate);
                ulong seen = Interlocked.CompareExchange(ref *(ulong*)slot, copy, old);
                if (seen == old) return true;
                old = seen;
            }
        }

        public static bool TryRun<TKey>(
            HotRingSession<TProbe> session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            status = Status.Ok;
            bool replaces = !IsInPlace<TOperation>();
            for (byte* item = null; ;)
            {
                bool isFound = session._editor.Seek(key, hash, replaces, out RingPlace place);
                if (isFound && !replaces)
                {
                    session.Unreserve();
                    _ = TryHit(session, place.Item + ItemLayout.KeyOffset + key.SlotSize, ref operation);
                    session.Note(place, isFound: true, isReplaced: false, isDue);
                    return true;
                }

                if (item == null)
                {
                    if (!session.TryReserve(key, hash, operation.Length, out item)) return false;
                    byte* slot = item + ItemLayout.KeyOffset + key.SlotSize;
                    operation.SingleWrite(ValueLayout.Bytes(slot, TOperation.ValueSize));
                }

                if (session.TryLink(key, hash, isFound, ref place, item, isDue)) return true;
            }
        }
    }

    private readonly struct RmwStep<TOperation> : IStep<TOperation>
        where TOperation : struct, IRmwOperation
    {
        public static bool MayHit => IsInPlace<TOperation>();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool TryHit(HotRingSession<TProbe> session, byte* slot, ref TOperation operation)
        {
            if (IsAtomic<TOperation>())
            {
                var value = new ValueSlot(slot, TOperation.ValueSize);
                if (operation.InPlaceUpdate(ref value)) return true;
            }

            ulong old = Volatile.Read(ref *(ulong*)slot);
            for (;;)
            {
                ulong copy = old;
                var value = new ValueSlot((byte*)&copy, TOperation.ValueSize);
                if (!operation.InPlaceUpdate(ref value)) session.CopyWord(old, ref copy, ref operation);
                TProbe.Point(ProbePoint.RecordUpdate);
                ulong seen = Interlocked.CompareExchange(ref *(ulong*)slot, copy, old);
                if (seen == old) return true;
                old = seen;
            }
        }

        public static bool TryRun<TKey>(
            HotRingSession<TProbe> session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            byte* source = null; // of the value that the buffer has: the old item, or null for a first value
            for (byte* item = null; ;)
            {
                bool isFound = session._editor.Seek(key, hash, !IsInPlace<TOperation>(), out RingPlace place);
                status = isFound ? Status.Ok : Status.Created;
                byte* old = isFound ? place.Item : null;
                if (isFound && IsInPlace<TOperation>())
                {
                    session.Unreserve();
                    _ = TryHit(session, old + ItemLayout.KeyOffset + key.SlotSize, ref operation);
                    session.Note(place, isFound: true, isReplaced: false, isDue);
                    return true;
                }

                if (item == null || source != old)
                {
                    session.Unreserve();
                    session.Make(old, ref operation);
                    ReadOnlySpan<byte> made = session._buffer.Written;
                    if (!session.TryReserve(key, hash, made.Length, out item)) return false;
                    made.CopyTo(ValueLayout.Bytes(item + ItemLayout.KeyOffset + key.SlotSize, TOperation.ValueSize));
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

        public static bool TryHit(HotRingSession<TProbe> session, byte* slot, ref TOperation operation) => false;

        public static bool TryRun<TKey>(
            HotRingSession<TProbe> session, scoped TKey key, ulong hash, ref TOperation operation, bool isDue,
            out Status status)
            where TKey : struct, IKey, allows ref struct
        {
            while (session._editor.Seek(key, hash, needsPrevious: true, out RingPlace place))
            {
                if (!session._editor.TryDelete(key, hash, ref place)) continue;
                session.Deleted++;
                status = Status.Ok;
                return true;
            }

            status = Status.NotFound;
            return true;
        }
    }

    private bool TryLink<TKey>(scoped TKey key, ulong hash, bool isFound, ref RingPlace place, byte* item, bool isDue)
        where TKey : struct, IKey, allows ref struct
    {
        if (!isFound)
        {
            if (!RingEditor<TProbe>.TryInsert(place, item)) return false;
            Inserted++;
        }
        else
        {
            // Counted before the replacement, because the item before may be unlinked at any time after it.
            Note(place, isFound: true, isReplaced: true, isDue);
            if (!_editor.TrySupersede(key, hash, ref place, item)) return false;
        }

        Linked();
        return true;
    }

    private void Make<TOperation>(byte* old, ref TOperation operation)
        where TOperation : struct, IRmwOperation
    {
        _buffer.Clear();
        if (old == null) operation.InitialUpdate(_buffer);
        else operation.CopyUpdate(_store.Layout.Value(old), _buffer);
    }

    private void CopyWord<TOperation>(ulong old, ref ulong copy, ref TOperation operation)
        where TOperation : struct, IRmwOperation
    {
        _buffer.Clear();
        operation.CopyUpdate(new ReadOnlySpan<byte>(&old, TOperation.ValueSize), _buffer);
        copy = 0;
        fixed (ulong* word = &copy) _buffer.Written.CopyTo(new Span<byte>(word, TOperation.ValueSize));
    }
}
