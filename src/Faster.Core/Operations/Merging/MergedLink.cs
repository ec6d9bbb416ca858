using Faster.Chains;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Probes;

namespace Faster.Operations.Merging;

/// <summary>
/// Links the whole record that a collapse has made from a key's values, the oldest of which expires
/// (docs/internals/expiry-costs.md).
/// </summary>
/// <remarks>
/// <para>A whole value that expires may lie below deltas: from a time when the store's class had no merger, or from an
/// import. The record that is made with it would keep it permanently, although a reader may find it dead before that
/// record is linked. So the record has space for an expiry, which makes every operation that finds it take its latch;
/// it is linked under its latch, and the time is read once more. If the old value is still alive, it was alive when the
/// record was linked, and no operation has seen it dead. If not, the merge of the deltas alone replaces it, before any
/// operation has read it. The record itself never expires.</para>
/// <para>Either of the two values may lie in fragments, which are written before the attempt that links
/// (<see cref="LargeWrite.Without"/>): then heads are exchanged. Under the caller's epoch.</para>
/// </remarks>
internal static unsafe class MergedLink
{
    /// <summary>Links the record in the space that the attempt has reserved.</summary>
    /// <param name="attempt">
    /// The attempt, whose deltas have also been merged without the whole value; the reserved space is enough for
    /// either.
    /// </param>
    /// <param name="at">The position at which the chain was found.</param>
    /// <param name="flags">The header flags of the record.</param>
    /// <param name="isAlive">
    /// Whether the old value was alive; otherwise the record holds the merge of the deltas alone.
    /// </param>
    /// <inheritdoc cref="Attempt.LinkReserved" path="/returns"/>
    public static Outcome Link<TEntries>(Attempt attempt, in ChainPosition at, ulong flags, out bool isAlive)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        byte* record = attempt.Log.Pointer(attempt.Reservation.Address);
        isAlive = true;
        Outcome linked = attempt.LinkReserved<TEntries>(at, flags | RecordHeader.Latch);
        if (linked != Outcome.Ok) return linked;
        isAlive = (Probe.On && Probe.Has(SeededBug.CollapseOutlivesRecord))
            || attempt.Clock.Judge(attempt.Deltas.WholeExpiry) == Outcome.Ok;
        ulong header = RecordHeader.Read(record) & ~RecordHeader.Latch;
        RecordLayout layout = attempt.Log.Layout;
        byte* slot = RecordExpiry.Value(record, header, layout.KeySlotSize(record), out _);
        if (!isAlive) PutWithout(attempt, ValueLayout.At(slot, layout.ValueSize), ref header);
        *(long*)(slot - RecordExpiry.Size) = RecordExpiry.Never;
        attempt.Unlatch(record, header);
        return Outcome.Ok;
    }

    private static void PutWithout(Attempt attempt, ValueSlot value, ref ulong header)
    {
        if (attempt.Large.Prepared?.Without is not { } other)
        {
            _ = value.TryReplace(attempt.Deltas.WithoutWhole);
            header &= ~RecordHeader.Large;
            return;
        }

        Span<byte> head = stackalloc byte[LargeHead.Size];
        other.Head.WriteTo(head);
        _ = value.TryReplace(head);
        header |= RecordHeader.Large;
    }
}
