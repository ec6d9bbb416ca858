using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Engines.Transactional.Locks;
using Faster.Epochs;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Probes;
using Faster.Tables;

namespace Faster.Engines.Transactional;

/// <summary>
/// Hits: a transaction of one record, or an operation, whose key and value are words and whose record exists, in a
/// quiet epoch without a commit. It does what the other ways do, in few instructions (docs/internals/hit-path.md).
/// </summary>
/// <remarks>
/// The index is stable in such an epoch, and no attempt owes anything to a commit. As in other hits, user code is not
/// marked: what it must not do is refused by the session that is in its epoch, or ends by the stall limit.
/// </remarks>
public unsafe partial class TransactionalSession
{
    /// <summary>How the attempt to hit ended.</summary>
    private enum Hit
    {
        /// <summary>All is done, and the epoch is left.</summary>
        Done,

        /// <summary>It is for the other ways. The epoch may still be announced.</summary>
        None,

        /// <summary>As <see cref="None"/>, and another one has the record's lock.</summary>
        Refused,
    }

    // The copy of the record that a hit works on.
    private struct HitRecord
    {
        public TransactionRecord Record;
        public ulong Value;
        public int Place; // 0
    }

    private static bool IsHit<TKey, TKeys, TTransaction>()
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction =>
        TKeys.FixedCount == 1 && TKey.IsWord && TTransaction.ValueSize == sizeof(ulong);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Hit TryHit<TKey, TKeys, TTransaction>(
        QuietView* view, scoped ref TKeys keys, ref TTransaction transaction, out TransactionStatus status)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        status = default;
        long quiet = TKeys.IsReadOnly ? view->ReadQuiet : view->UpdateQuiet;
        if (!EpochTable.TryEnterQuiet(&view->Slot, quiet)) return Hit.None;
        TKey key = keys.GetKey(0);
        if (!TryFind(view, key, out byte* record)) return Hit.None;
        ulong* word = RecordTable.WordOf(record), value = (ulong*)(record + RecordHeader.Size + sizeof(ulong));
        ulong copy;
        if (TKeys.IsReadOnly)
        {
            ulong seen = LockWord.Read(word);
            copy = Volatile.Read(ref *value);
            if (!LockWord.IsReadable(seen) || !LockWord.IsUnchanged(word, seen)) return Hit.None;
        }
        else
        {
            if (!LockWord.TryTakeAtOnce(word, isExclusive: true)) return Hit.Refused;
            copy = *value;
        }

        var one = new HitRecord { Value = copy };
        one.Record = new TransactionRecord((byte*)&one.Value, sizeof(ulong), exists: true);
        bool commits = RunGuarded(view, ref transaction, &one, TKeys.IsReadOnly ? null : word);
        if (!TKeys.IsReadOnly)
        {
            if (commits && one.Record.Change == RecordChange.Delete)
            {
                DeleteHit(view->HashOf(keys.GetKey(0)), record);
            }
            else
            {
                Probe.Point(ProbePoint.RecordUpdate);
                if (commits) *value = one.Value;
                LockWord.Release(word, isExclusive: true);
            }
        }

        status = commits ? TransactionStatus.Committed : TransactionStatus.Aborted;
        CountEnded(status);
        LeaveHit(view, quiet);
        return Hit.Done;
    }

    // Apart, so that the rest of a hit is in registers. The word is the lock to be released, if there is one.
    private bool RunGuarded<TTransaction>(
        QuietView* view, ref TTransaction transaction, HitRecord* one, ulong* word)
        where TTransaction : struct, ITransaction
    {
        try
        {
            return transaction.Run(new TransactionRecords(&one->Record, &one->Place, 1, _buffer));
        }
        catch
        {
            if (word != null) LockWord.Release(word, isExclusive: true);
            Epochs.Leave(&view->Slot);
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryHit<TStep, TKey, TOperation>(QuietView* view, scoped TKey key, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        long quiet = TStep.Access == RecordAccess.Read ? view->ReadQuiet : view->UpdateQuiet;
        if (!EpochTable.TryEnterQuiet(&view->Slot, quiet)) return false;
        if (!TryFind(view, key, out byte* record)) return false;
        ulong* word = RecordTable.WordOf(record);
        if (!TStep.TryHit(word, record + RecordHeader.Size + sizeof(ulong), ref operation)) return false;
        LeaveHit(view, quiet);
        return true;
    }

    // The first record of the key's chain, if it is the key's.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryFind<TKey>(QuietView* view, scoped TKey key, out byte* record)
        where TKey : struct, IKey, allows ref struct
    {
        if (!view->TryFind(view->HashOf(key), updates: false, out record, out _))
        {
            // A separate local, so that a hit in the first bucket has its own in a register.
            if (!view->TryFindNext(view->HashOf(key), updates: false, out byte* next, out _)) return false;
            record = next;
        }

        return *(ulong*)(record + RecordHeader.Size) == key.Word;
    }

    // Numbers the operation, and leaves the epoch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void LeaveHit(QuietView* view, long quiet)
    {
        Volatile.Write(ref view->Slot.Serial, view->Slot.Serial + 1);
        if (!EpochTable.TryLeave(&view->Slot, quiet)) Epochs.DrainAfter(quiet);
        GC.KeepAlive(this); // the slot is this session's
    }

    // Takes out a record that the hit has locked.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void DeleteHit(ulong hash, byte* record)
    {
        LockedKey at = new(hash, 0, RecordAccess.Write) { Record = record };
        _ = _table.Locate(hash, out at.Entry); // the index is stable
        _locks.Delete(ref at);
        _locks.Release(ref at);
        CountRecords(-1);
    }
}
