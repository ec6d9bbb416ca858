using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Compaction.Sweeps;

/// <summary>
/// Tells a compaction of the lower tier which records it need not copy, because the tier above has a newer one of their
/// key (docs/internals/tiers.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record is dropped only if a newer record of its key, or a tombstone, was linked above before. A copy in the
/// read cache is none; nor is the record above that the record is a copy of, while it moves
/// (<see cref="MovedPart"/>).</item>
/// <item>A record above whose value lies in fragments does not count: its value may have moved alone, and the record
/// in question may be the one that has it.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a thread of the compaction; used outside every epoch.</para>
/// </remarks>
/// <param name="session">The thread's session.</param>
/// <param name="above">The tier above.</param>
/// <param name="moved">Which of its records may have copies in the lower tier.</param>
internal sealed unsafe class RecordsAbove(LogSession session, Tier above, MovedPart moved)
{
    private const ulong Excluded = RecordHeader.Large | RecordHeader.Delta;

    /// <summary>Whether the tier above has a newer record in memory.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="address">The address of the record of the lower tier, which has been read before.</param>
    /// <param name="onDisk">
    /// If not: the address above of a record on disk that may be the key's, and newer; 0: there is none.
    /// </param>
    public bool Supersede(in RecordKey key, ulong hash, long address, out long onDisk)
    {
        MovedPart.Extent part = moved.Now; // before the search: what is found is at or above Begin then
        session.Core.Epochs.Enter(session.Slot);
        long found = Find(key, hash, out onDisk);
        session.Core.Epochs.Leave(session.Slot);
        bool mayBeCopy = address >= part.CopiesFrom && !(Probe.On && Probe.Has(SeededBug.DropIgnoresCopies));
        if (mayBeCopy && onDisk < part.Until) onDisk = 0;
        return found != 0 && !(mayBeCopy && found < part.Until);
    }

    /// <summary>Prepares look-ups of what is on disk above.</summary>
    /// <param name="memory">The memory for them, which outlives them.</param>
    /// <param name="checkStop">Throws if the compaction must end.</param>
    public DeferredLookups PutOff(in LookupMemory memory, Action checkStop) =>
        new(above.PagedLog!, above.Storage!, memory, checkStop, Excluded);

    /// <summary>Prefetches what <see cref="Supersede"/> reads first.</summary>
    public void Prefetch(ulong hash) => above.Index.Prefetch(hash);

    // The address of the key's record in memory, if it counts; 0: there is none.
    private long Find(in RecordKey key, ulong hash, out long onDisk)
    {
        onDisk = 0;
        if (above.Entries.FindChain(hash, out long address) != Outcome.Ok) return 0;
        if (address < 0) address = above.Cache!.Behind(address);
        if (Probe.On && Probe.Has(SeededBug.LookupTrustsChain)) return address;
        byte* record = above.Log.Find(key, hash, above.Log.HeadAddress, ref address, out ulong header);
        if (record != null) return (header & Excluded) == 0 ? address : 0;
        if (address >= above.Log.BeginAddress) onDisk = address;
        return 0;
    }
}
