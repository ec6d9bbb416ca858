using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>Read (paper 000 App. G, Algorithm 2).</summary>
/// <remarks>
/// By the place of the key's newest record: not there; on disk; below the safe-read-only address; above it.
/// A record below the safe-read-only address is immutable and is read without protection. Above it another session may
/// be updating the record: a value of up to eight bytes is read by one atomic load, a longer one under the record's
/// latch, unless the user's functions use atomics of their own. A delta is merged with the key's older records,
/// wherever they lie (§6.3).
/// </remarks>
internal readonly struct ReadAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, IReadOperation
{
    /// <inheritdoc/>
    public static bool Mutates => false;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        if (!RecordMatch.Is(record, key, 0, RecordHeader.NotPlain)) return false;
        byte* value = record + RecordHeader.Size + key.SlotSize;

        // A word that no user code reads is loaded in the same way in each region.
        if ((TOperation.RunsUserCode || !RecordValue<TOperation>.IsWord) && address < view->SafeReadOnly)
        {
            operation.SingleRead(RecordValue<TOperation>.At(value));
            return true;
        }

        Probe.Point(ProbePoint.RecordUpdate);
        if (TOperation.LatchesReads) return ReadLatched(attempt, record, value, ref operation) == Outcome.Ok;
        operation.ConcurrentRead(RecordValue<TOperation>.At(value));
        return true;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitUnlatched<TKey>(
        QuietView* view, RecentTime* time, scoped TKey key, byte* record, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct =>
        ExpiringRead<TOperation>.TryHitUnlatched(time, key, record, ref operation);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryHitExpiring<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => (RecordHeader.Read(record) & RecordHeader.Expiring) == 0
            ? TryHit(attempt, view, key, record, address, ref operation)
            : ExpiringRead<TOperation>.TryHit(attempt, key, record, address, ref operation);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.NoInlining)] // the caller would get an attempt for each mode
    public static Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        scoped ReadAttempt<TKey, TMode, TEntries, TOperation> made;
        Unsafe.SkipInit(out made);
        return made.Run(attempt, key, hash, ref operation, disk);
    }

    /// <summary>Reads a value under its record's latch.</summary>
    public static unsafe Outcome ReadLatched(Attempt attempt, byte* record, byte* value, ref TOperation operation)
    {
        if (!attempt.TryLatch(record, out ulong header)) return Outcome.Retry;
        if ((header & RecordHeader.Tombstone) != 0)
        {
            attempt.Unlatch(record, header);
            return Outcome.NotFound;
        }

        operation.ConcurrentRead(RecordValue<TOperation>.At(value));
        attempt.Unlatch(record, header);
        return Outcome.Ok;
    }
}
