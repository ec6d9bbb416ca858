using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// How a read-modify-write gets the value that it has made into a record: into a dead one that has space for it, or
/// into a new one at the tail (paper 000 App. G, Algorithm 4: CREATE_RECORD).
/// </summary>
/// <remarks>No state; runs on the calling session's thread, in its epoch.</remarks>
internal static unsafe class UpdatedRecord<TOperation>
    where TOperation : struct, IRmwOperation
{
    /// <summary>Puts the new value into the latched record, if that is dead and has space for it.</summary>
    public static bool TryRevive(Attempt attempt, in ChainPosition at, long expiry)
    {
        if (!at.IsTombstone || (TOperation.ValueSize == 0 && attempt.Large.Prepared is not null)) return false;
        ValueBuffer buffer = attempt.Buffer;
        Check(buffer);
        if (at.IsLarge || !at.CanExpire(expiry)) return false;
        var value = ValueLayout.At(at.Value, TOperation.ValueSize);
        if (Probe.On && Probe.Has(SeededBug.RenewBeforeWrite)) at.Renew(expiry);
        Probe.Point(ProbePoint.RecordUpdate);
        if (!value.TryReplace(buffer.Written)) return false;
        Probe.Point(ProbePoint.RecordUpdate);
        at.Renew(expiry);
        attempt.UnlatchUpdated(at.Record, at.Header & ~RecordHeader.Tombstone);
        attempt.Reservation.GiveBack();
        return true;
    }

    /// <summary>Reserves space for the record, and writes the value or the head of its fragments.</summary>
    /// <remarks>
    /// The value is made again after every lost race; space reserved before is kept if its layout matches.
    /// </remarks>
    /// <returns>False when no page frame is free.</returns>
    public static bool TryReserve<TKey>(
        Attempt attempt, scoped TKey key, in ChainPosition at, ref UpdateDetails result)
        where TKey : struct, IKey, allows ref struct
    {
        ValueBuffer buffer = attempt.Buffer;
        int length = buffer.Written.Length;
        if (TOperation.ValueSize == 0) attempt.Reservation.GiveBack();
        if (TOperation.ValueSize == 0 && attempt.Large.Prepared is { } prepared)
        {
            result.Flags |= RecordHeader.Large;
            int other = result.IsMerged && prepared.Without is null ? attempt.Deltas.WithoutWhole.Length : 0;
            return LargeValues.TryReserve(attempt, key, prepared.Head, result.Expiry, other);
        }

        Check(buffer);
        int capacity = at.CapacityFor(length, TOperation.ValueSize);
        if (result.IsMerged) capacity = Math.Max(capacity, attempt.Deltas.WithoutWhole.Length);
        if (!attempt.Reservation.TryReuse(result.Expiry)
            && !attempt.Reservation.TryTake(key, TOperation.ValueSize, length, capacity, result.Expiry)) return false;
        buffer.Written.CopyTo(attempt.Reservation.Value(TOperation.ValueSize));
        return true;
    }

    /// <summary>Links the record.</summary>
    /// <remarks>
    /// A value made from a record that expires is linked under its latch, and stands if that record was alive then. If
    /// it was not, and deltas are left, the operation begins again with these.
    /// </remarks>
    /// <returns>
    /// <see cref="Outcome.Retry"/>: the chain has changed. <see cref="Outcome.Expired"/>: the old record has. Any other
    /// but <see cref="Outcome.Ok"/>: the entry could not be changed.
    /// </returns>
    public static Outcome Link<TEntries>(
        Attempt attempt, in ChainPosition at, ulong hash, in UpdateDetails result)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        Outcome linked = TryLink<TEntries>(attempt, at, result);
        if (TOperation.Merges && linked is (Outcome.Ok or Outcome.Expired)) CountDeltas(attempt, hash, result.Flags);
        return linked;
    }

    private static Outcome TryLink<TEntries>(Attempt attempt, in ChainPosition at, in UpdateDetails result)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        Outcome linked;
        if (TOperation.Merges && result.IsMerged)
        {
            linked = MergedLink.Link<TEntries>(attempt, at, result.Flags, out bool isAlive);
            return linked == Outcome.Ok && !isAlive ? Outcome.Expired : linked;
        }

        bool confirms = result.AliveUntil != RecordExpiry.Never;
        ulong flags = confirms ? result.Flags | RecordHeader.Latch : result.Flags;
        linked = attempt.LinkReserved<TEntries>(at, flags);
        return linked == Outcome.Ok && confirms ? attempt.Confirm(result.AliveUntil) : linked;
    }

    private static void CountDeltas(Attempt attempt, ulong hash, ulong flags)
    {
        if ((flags & RecordHeader.Delta) != 0) attempt.Merges.OnAppended();
        else if (attempt.Deltas.Count != 0) attempt.Merges.OnCollapsed(hash, attempt.Deltas.Deltas);
    }

    private static void Check(ValueBuffer buffer)
    {
        if (TOperation.ValueSize == 0 || buffer.Written.Length == TOperation.ValueSize) return;
        throw new FasterException(
            ErrorReason.UserFunction,
            $"An updater wrote {buffer.Written.Length} bytes where every value has {TOperation.ValueSize}.");
    }
}
