using System.Collections.Concurrent;
using Faster.Chains;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Operations.Merging;

/// <summary>
/// The deltas in the mutable region that a compaction keeps from being updated while it collapses their keys.
/// </summary>
/// <remarks>
/// <para>A delta is sealed by its header bit: from then on no thread begins to update it in place. Updates without a
/// latch may have begun before; they end within their epoch. So a delta that was sealed an epoch ago does not change
/// any more (docs/internals/merging-collapse.md). An operation that wants to update it tries again until it is
/// superseded or
/// released.</para>
/// <para>One seal may serve several operations, of which one claims it before it links the record that replaces the
/// delta. No operation releases a claimed delta, because it must never be updated again. A delta that is released and
/// sealed again has another seal: an operation that has collected its value under the first seal can't claim the second
/// one.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A sealed delta that is its key's newest record, and may still be reached by updates in place, is listed here
/// or currently claimed.</item>
/// <item>While it is listed, some operation under way must lift or claim its seal: the one that has set it, or the one
/// that has returned it.</item>
/// </list>
/// <para>Thread-safe; short locks, under which no thread waits.</para>
/// </remarks>
internal sealed unsafe class HeldDeltas(EpochTable epochs, RecordAllocator log)
{
    private readonly ConcurrentDictionary<long, Seal> _seals = new();

    /// <summary>The number of sealed deltas.</summary>
    public int Count => _seals.Count;

    /// <summary>
    /// The seal of a delta that was sealed long enough ago that no thread changes it; otherwise null.
    /// </summary>
    public Seal? Held(long address) => _seals.TryGetValue(address, out Seal? seal) && seal.IsSafe ? seal : null;

    /// <summary>Seals a delta, under the caller's epoch; it is held once the epoch has passed.</summary>
    /// <returns>False when it is sealed already, dead, or latched by another thread.</returns>
    public bool TrySeal(byte* record, long address)
    {
        if (!RecordLatch.TryTakeSlowly(record, out ulong header)) return false;
        bool seals = (header & (RecordHeader.Sealed | RecordHeader.Tombstone)) == 0;
        var seal = new Seal(address) { IsSafe = Probe.On && Probe.Has(SeededBug.CollapseWithoutEpoch) };
        if (seals) _seals[address] = seal;
        RecordLatch.Release(record, seals ? header | RecordHeader.Sealed : header);
        if (seals) epochs.Bump(() => seal.IsSafe = true);
        return seals;
    }

    /// <summary>Takes a seal permanently, before the record that replaces the delta is linked.</summary>
    /// <returns>False when another operation has claimed it, or has released the delta.</returns>
    public bool TryClaim(Seal seal)
    {
        Probe.Point(ProbePoint.RecordLatch);
        if (Probe.On && Probe.Has(SeededBug.ClaimOfLaterSeal)) return _seals.TryRemove(seal.Address, out _);
        return _seals.TryRemove(KeyValuePair.Create(seal.Address, seal));
    }

    /// <summary>
    /// Returns a claimed seal because nothing was linked: others may claim it again, and the caller must lift it.
    /// </summary>
    public void Return(Seal seal) => _seals[seal.Address] = seal;

    /// <summary>Allows a delta to be updated again, under the caller's epoch.</summary>
    /// <returns>False when another thread has its latch: try again.</returns>
    public bool TryLift(long address)
    {
        if (!_seals.TryRemove(address, out Seal? seal)) return true; // superseded, or released already

        // Below ReadOnly no thread updates in place any more, so the sealed bit does no harm.
        if (address < log.ReadOnlyAddress) return true;
        byte* record = log.Pointer(address);
        if (!RecordLatch.TryTakeSlowly(record, out ulong header))
        {
            _seals[address] = seal;
            return false;
        }

        RecordLatch.Release(record, header & ~RecordHeader.Sealed);
        return true;
    }

    /// <summary>Allows a delta to be updated again, outside every epoch, as soon as its latch is free.</summary>
    /// <param name="slot">The caller's epoch slot.</param>
    /// <param name="address">The address of the delta.</param>
    public void Lift(EpochSlot* slot, long address)
    {
        bool lifted;
        do
        {
            Probe.Point(ProbePoint.Wait);
            epochs.Enter(slot);
            lifted = TryLift(address);
            epochs.Leave(slot);
        }
        while (!lifted);
    }

    /// <summary>
    /// Allows all deltas to be updated again, outside every epoch; operations under way seal theirs anew.
    /// </summary>
    public void LiftAll(EpochSlot* slot)
    {
        foreach (long address in _seals.Keys) Lift(slot, address);
    }

    /// <summary>The seal of one delta.</summary>
    internal sealed class Seal(long address)
    {
        private volatile bool _isSafe;

        /// <summary>The address of the delta.</summary>
        public long Address => address;

        /// <summary>Whether no thread that may have found the delta unsealed is inside its epoch any more.</summary>
        public bool IsSafe
        {
            get => _isSafe;
            set => _isSafe = value;
        }
    }
}
