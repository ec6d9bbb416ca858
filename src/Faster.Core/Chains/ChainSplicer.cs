using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Chains;

/// <summary>
/// Takes a latched record out of an in-memory chain by one compare-and-swap on what points to it: the index entry, or
/// its predecessor's header (paper 000 §4). A replacement may be linked in its place in the same step.
/// </summary>
/// <remarks>
/// Why neighbors can't lose each other: the caller holds the record's latch, so its previous address does not change;
/// the predecessor's header is swapped only while it is unlatched, so a predecessor that is being taken out itself (and
/// so is latched) refuses the swap, and one that has been taken out (sealed) refuses it too. The caller then tries
/// again from the entry. No thread waits while it holds a latch: there is no deadlock. Thread-safe, latch-free except
/// for that refusal.
/// </remarks>
internal static unsafe class ChainSplicer
{
    /// <summary>
    /// Makes whatever points to the latched record point to <paramref name="replacement"/> instead (0: to nothing).
    /// </summary>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/> when the chain has changed or the predecessor is latched;
    /// or why the entry could not be changed.
    /// </returns>
    public static Outcome Replace<TEntries>(
        TEntries entries, RecordAllocator log, in ChainPosition at, long replacement)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        long address = at.Entry.Address;
        Probe.Point(ProbePoint.RecordSplice);
        if (address == at.Address)
        {
            return replacement == 0 ? entries.Remove(at.Entry) : entries.Replace(at.Entry, replacement);
        }

        while (address != 0)
        {
            Probe.Point(ProbePoint.RecordSplice);
            byte* record = log.Pointer(address);
            ulong header = RecordHeader.Read(record);
            long previous = RecordHeader.Previous(header);
            if (previous == at.Address)
            {
                if ((header & RecordHeader.Sealed) != 0 && !(Probe.On && Probe.Has(SeededBug.SpliceWithoutSeal)))
                    return Outcome.Retry;
                if ((header & RecordHeader.Latch) != 0) return Outcome.Retry;
                ulong redirected = RecordHeader.WithPrevious(header, replacement);
                return RecordHeader.TryReplace(record, header, redirected) ? Outcome.Ok : Outcome.Retry;
            }

            address = previous;
        }

        return Outcome.Retry;
    }
}
