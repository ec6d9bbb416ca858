using System.Runtime.CompilerServices;
using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.OperationLogs;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// Delete: splices a record out of an in-memory chain (paper 000 §4), marks it by a tombstone in a log (§5.3).
/// </summary>
/// <remarks>
/// A record in the mutable region becomes a tombstone in place; if it is its chain's only record, the index entry is
/// removed, too (§3.2). Otherwise a tombstone record is appended at the tail. When the key may exist on disk only, the
/// deletion is blind: <see cref="Outcome.NotFound"/> is returned only when the key is known not to exist.
/// </remarks>
internal readonly struct DeleteAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IDeleteOperation
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static bool IsJournaled => true;

    /// <inheritdoc/>
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false; // a deletion depends on the whole chain

    /// <inheritdoc/>
    public static unsafe Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        scoped KeySearch<TKey, TMode, TEntries, TOperation> search;
        Unsafe.SkipInit(out search);
        search.Prepare(attempt, key, hash, ref operation, disk);
        Outcome located = search.Locate();
        if (located != Outcome.Ok) return located;
        ref ChainPosition at = ref search.At;
        if (TMode.CopiesOld && !attempt.Bucket.TryEnterExclusive(hash)) return Outcome.BucketLatched;
        for (;;)
        {
            Outcome found = search.FindMutable();
            if (found > Outcome.NotFound) return attempt.GiveUp(found);
            if (found == Outcome.Ok)
            {
                attempt.Reservation.GiveBack();
                return DeleteMutable(attempt, at);
            }

            Outcome old = FindImmutable(ref search);
            if (old == Outcome.NotFound) _ = ChainMaintenance.NotFound<TEntries>(attempt, at.Entry);
            if (old != Outcome.Ok) return attempt.GiveUp(old);
            if (attempt.Reservation.Address == 0 && !attempt.Reservation.TryTake(key, TOperation.ValueSize, 0, 0))
                return attempt.GiveUp(Outcome.AllocationFailed);
            Outcome linked = attempt.LinkReserved<TEntries>(at, RecordHeader.Tombstone);
            if (linked == Outcome.Ok) return ChainMaintenance.Linked(attempt.Log, key, hash, at);
            if (linked != Outcome.Retry) return attempt.GiveUp(linked);
        }
    }

    private static unsafe Outcome DeleteMutable(Attempt attempt, in ChainPosition at)
    {
        attempt.CountDeletion();
        RecordAllocator log = attempt.Log;
        Outcome done = at.IsTombstone ? Outcome.NotFound : Outcome.Ok;
        if (log.Splices)
        {
            Outcome spliced = attempt.SpliceOut<TEntries>(at);
            return spliced == Outcome.Ok ? done : spliced;
        }

        if (attempt.IsJournaled)
        {
            Outcome published = attempt.Entry!.Publish(
                LogRecordKind.Remove, log.Layout.KeySlot(at.Record), default, RecordExpiry.Never);
            if (published != Outcome.Ok) return attempt.GiveUp(published);
        }

        ulong delta = Probe.On && Probe.Has(SeededBug.DeletionKeepsDelta) ? 0 : RecordHeader.Delta;
        ulong header = (at.Header & ~delta) | RecordHeader.Tombstone;
        TEntries entries = attempt.Entries<TEntries>();
        bool alone = attempt.Below is null && at.Entry.Address == at.Address
            && RecordHeader.Previous(at.Header) < log.BeginAddress && !entries.IsShared(at.Entry);

        // Sealed first: no thread may revive the record once its entry is gone. If the entry has changed meanwhile, or
        // can't be removed now, the sealed tombstone stays where it is, and still says that the key is deleted.
        if (alone) header |= RecordHeader.Sealed;
        RecordHeader.WriteStamped(at.Record, attempt.Version.Stamp(header | RecordHeader.Latch));
        if (alone) _ = entries.Remove(at.Entry);
        attempt.UnlatchUpdated(at.Record, header);
        return done;
    }

    /// <summary>Whether the key may exist in a record that is no longer updated in place.</summary>
    private static Outcome FindImmutable<TKey, TMode>(
        ref KeySearch<TKey, TMode, TEntries, TOperation> search)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        Outcome found = search.FindInMemory();
        if (found == Outcome.OnDisk) return Outcome.Ok;
        if (found == Outcome.Below)
            return search.Attempt.Below?.MayHold(search.Hash) == true ? Outcome.Ok : Outcome.NotFound;
        if (found != Outcome.Ok) return found;
        if (!search.Found.IsCached)
        {
            if (RecordExpiry.IsUnconfirmed(search.Header)) return Outcome.Retry;
            if ((search.Header & RecordHeader.Tombstone) != 0) return Outcome.NotFound;

            // An expiry that other threads may still renew is not read: the deletion is blind.
            if (search.Address >= search.Attempt.Log.SafeReadOnlyAddress) return Outcome.Ok;
            search.TakeRecord();
        }

        return search.Attempt.Clock.Judge(search.Found.Expiry);
    }
}
