using System.Collections.Concurrent;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster;

/// <summary>
/// The partial records in the mutable region that a compaction keeps from being updated while it collapses their keys.
/// </summary>
/// <remarks>
/// <para>A record is taken out of use by its overwrite bit: from then on nobody begins to update it in place. Updates
/// without a latch may have begun before; they end within their epoch. So a record that was sealed an epoch ago does
/// not change any more (docs/MERGING.md). Whoever wants to update it tries again until it is superseded, or is let
/// go.</para>
/// <para>One seal may serve several operations, of which one claims it before it links what takes the record's place:
/// what has been claimed nobody lets go, for it must never be updated again. A record that is let go and sealed again
/// has another seal: who has collected its value under the first can't claim that one.</para>
/// <para>Invariants: a sealed partial record that is the newest of its key, and may still be reached by updates in
/// place, is listed here or just claimed; and while it is listed, some operation under way is to lift or claim it: who
/// has set it, or who has given it back.</para>
/// <para>Thread-safe; short locks, under which nobody waits for anything.</para>
/// </remarks>
internal sealed unsafe class PartSeals<TProbe>(EpochTable<TProbe> epochs, RecordAllocator<TProbe> log)
    where TProbe : struct, IProbe
{
    private readonly ConcurrentDictionary<long, Seal> _seals = new();

    /// <summary>How many records are sealed.</summary>
    public int Count => _seals.Count;

    /// <summary>The seal of a record that was sealed so long ago that nobody changes it; else null.</summary>
    public Seal? Held(long address) => _seals.TryGetValue(address, out Seal? seal) && seal.IsSafe ? seal : null;

    /// <summary>Seals a record, under the caller's epoch; it is held once the epoch has passed.</summary>
    /// <returns>False when it is sealed already, dead, or somebody has its latch.</returns>
    public bool TrySeal(byte* record, long address)
    {
        if (!RecordLatch<TProbe>.TryTakeSlowly(record, out ulong header)) return false;
        bool seals = (header & (RecordHeader.Sealed | RecordHeader.Tombstone)) == 0;
        var seal = new Seal(address) { IsSafe = TProbe.Has(SeededBug.CollapseWithoutEpoch) };
        if (seals) _seals[address] = seal;
        TProbe.Point(ProbePoint.RecordLatch);
        RecordHeader.Write(record, seals ? header | RecordHeader.Sealed : header);
        if (seals) epochs.Bump(() => seal.IsSafe = true);
        return seals;
    }

    /// <summary>Takes a seal for good, to link what takes the record's place.</summary>
    /// <returns>False when somebody else has it, or has let the record go.</returns>
    public bool TryClaim(Seal seal)
    {
        TProbe.Point(ProbePoint.RecordLatch);
        if (TProbe.Has(SeededBug.ClaimOfLaterSeal)) return _seals.TryRemove(seal.Address, out _);
        return _seals.TryRemove(KeyValuePair.Create(seal.Address, seal));
    }

    /// <summary>Nothing was linked: others may claim the seal again, and the caller is to lift it.</summary>
    public void Return(Seal seal) => _seals[seal.Address] = seal;

    /// <summary>Lets a record be updated again, under the caller's epoch.</summary>
    /// <returns>False when somebody has its latch: try again.</returns>
    public bool TryLift(long address)
    {
        if (!_seals.TryRemove(address, out Seal? seal)) return true; // superseded, or let go already

        // Where nobody updates in place any more the mark does no harm.
        if (address < log.ReadOnlyAddress) return true;
        byte* record = log.Pointer(address);
        if (!RecordLatch<TProbe>.TryTakeSlowly(record, out ulong header))
        {
            _seals[address] = seal;
            return false;
        }

        TProbe.Point(ProbePoint.RecordLatch);
        RecordHeader.Write(record, header & ~RecordHeader.Sealed);
        return true;
    }

    /// <summary>Lets a record be updated again, outside every epoch, as soon as nobody has its latch.</summary>
    /// <param name="slot">The caller's.</param>
    /// <param name="address">The record.</param>
    public void Lift(EpochSlot* slot, long address)
    {
        bool lifted;
        do
        {
            TProbe.Point(ProbePoint.Wait);
            epochs.Enter(slot);
            lifted = TryLift(address);
            epochs.Leave(slot);
        }
        while (!lifted);
    }

    /// <summary>Lets all records be updated again, outside every epoch; who is under way seals anew.</summary>
    public void LiftAll(EpochSlot* slot)
    {
        foreach (long address in _seals.Keys) Lift(slot, address);
    }

    /// <summary>One sealed record.</summary>
    internal sealed class Seal(long address)
    {
        private volatile bool _isSafe;

        /// <summary>The record.</summary>
        public long Address => address;

        /// <summary>Whether nobody is inside an epoch any more who may have found the record unsealed.</summary>
        public bool IsSafe
        {
            get => _isSafe;
            set => _isSafe = value;
        }
    }
}
