using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Contracts;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Compaction.Batches;

/// <summary>
/// The stage that passes on the records of the lower tier that must be copied although there is a tier above: it has no
/// newer one of their key (docs/internals/tiers.md).
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
/// </remarks>
/// <param name="session">The thread's session.</param>
/// <param name="above">The tier above.</param>
/// <param name="moved">Which of its records may have copies in the lower tier.</param>
/// <param name="next">The next stage.</param>
/// <param name="lookups">Puts off look-ups of what is on disk above, as <see cref="PutOffIn"/> makes them.</param>
internal sealed unsafe class RecordsAbove(
    LogSession session, Tier above, MovedPart moved, ICopyStage next, DeferredLookups lookups) : ICopyStage
{
    private const ulong Excluded = RecordHeader.Large | RecordHeader.Delta;

    /// <inheritdoc/>
    public PutOffRecords PutOff => lookups.PutOff;

    /// <summary>Prepares to put look-ups off of what is on disk above.</summary>
    /// <param name="thread">The thread.</param>
    /// <param name="above">The tier above.</param>
    /// <param name="memory">The memory for them, which outlives them.</param>
    public static DeferredLookups PutOffIn(CopyThread thread, Tier above, in LookupMemory memory) =>
        new(thread, memory, above, Excluded);

    /// <inheritdoc/>
    public void Prefetch(ulong hash) => above.Index.Prefetch(hash);

    /// <inheritdoc/>
    public void Take(in PageRecord record, bool mayPutOff)
    {
        if (Supersede(record.Key, record.Hash, record.Address, out long onDisk)) return;
        bool isPutOff = mayPutOff && onDisk != 0 && !record.IsLarge && lookups.TryDefer(record, onDisk);
        if (!isPutOff) next.Take(record, mayPutOff);
    }

    /// <inheritdoc/>
    public void LookUp(PageCopy page, bool all) => lookups.Resolve(page, this, all);

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
