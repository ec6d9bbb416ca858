using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Takes a latched record out of an in-memory chain by one compare-and-swap on what points to it: the index entry, or
/// its predecessor's header (paper 000 §4). A replacement may take its place in the same step.
/// </summary>
/// <remarks>
/// Why neighbours can't lose each other: the caller holds the record's latch, so its previous address is frozen; the
/// predecessor's header is swapped only while unlatched, so a predecessor that is being taken out itself (and so is
/// latched) refuses, and one that has been taken out (sealed) refuses too. The caller then tries again from the entry.
/// Nobody waits holding a latch: there is no deadlock. Thread-safe, latch-free but for that refusal.
/// </remarks>
internal static unsafe class ChainSplicer<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>
    /// Makes whatever points to the latched record point to <paramref name="replacement"/> instead (0: to nothing).
    /// </summary>
    /// <returns>False when the chain has changed or the predecessor is latched.</returns>
    public static bool TryReplace(RecordAllocator<TProbe> log, in ChainPosition at, long replacement)
    {
        long address = HashIndex<TProbe>.AddressOf(at.Word);
        TProbe.Point(ProbePoint.RecordSplice);
        if (address == at.Address)
        {
            return replacement == 0
                ? HashIndex<TProbe>.TryRemove(at.Slot, at.Word)
                : HashIndex<TProbe>.TryReplace(at.Slot, at.Word, replacement);
        }

        while (address != 0)
        {
            TProbe.Point(ProbePoint.RecordSplice);
            byte* record = log.Pointer(address);
            ulong header = RecordHeader.Read(record);
            long previous = RecordHeader.Previous(header);
            if (previous == at.Address)
            {
                if ((header & RecordHeader.Sealed) != 0 && !TProbe.Has(SeededBug.SpliceWithoutSeal)) return false;
                if ((header & RecordHeader.Latch) != 0) return false;
                return RecordHeader.TryReplace(record, header, RecordHeader.WithPrevious(header, replacement));
            }

            address = previous;
        }

        return false;
    }
}
