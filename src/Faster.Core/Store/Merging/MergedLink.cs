using Faster.Contracts;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// Links the whole record that a collapse has made of a key's values, of which the oldest expires (docs/EXPIRY.md).
/// </summary>
/// <remarks>
/// <para>A whole value that expires may lie below partial ones: of a time when the store's class had no merger, or of
/// an import. The record that is made with it would hold it for ever, and a reader may find it dead before that record
/// is linked. So the record has room for an expiry, which makes whoever comes take its latch; it is linked under its
/// latch, and the time is read once more. If the old value is still alive, it was when the record was linked, and
/// nobody has seen it dead. If not, the merge of the partial values alone takes its place, before anybody has read it.
/// The record itself never expires.</para>
/// <para>Either of the two may lie in chunks, which are written before the attempt that links
/// (<see cref="LargeWrite{TProbe}.Without"/>): what changes places then are heads. Under the caller's epoch.</para>
/// </remarks>
internal static unsafe class MergedLink<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Links the record in the room that the attempt has taken.</summary>
    /// <param name="attempt">
    /// The attempt, whose partial values have been merged without the whole one, too; the room is enough for either.
    /// </param>
    /// <param name="bucket">The bucket.</param>
    /// <param name="tag">The tag.</param>
    /// <param name="at">Where the chain was found.</param>
    /// <param name="flags">What the record's header says of its value's place.</param>
    /// <param name="keySlot">The size of the key's slot.</param>
    /// <param name="valueSize">The size of every value, or 0.</param>
    /// <param name="isAlive">Whether the old value was alive: else the record holds the partial ones alone.</param>
    /// <returns>False when the chain has changed: find again.</returns>
    public static bool TryLink(
        Attempt<TProbe> attempt, HashBucket* bucket, uint tag, in ChainPosition at, ulong flags, int keySlot,
        int valueSize, out bool isAlive)
    {
        byte* record = attempt.Log.Pointer(attempt.Reserved);
        isAlive = true;
        if (!attempt.TryLinkReserved(bucket, tag, at, flags | RecordHeader.Latch)) return false;
        isAlive = TProbe.Has(SeededBug.CollapseOutlivesRecord)
            || attempt.Clock.Judge(attempt.Partials.WholeExpiry) == Outcome.Ok;
        ulong header = RecordHeader.Read(record) & ~RecordHeader.Latch;
        byte* slot = RecordExpiry.Value(record, header, keySlot, out _);
        if (!isAlive) PutWithout(attempt, new ValueSlot(slot, valueSize), ref header);
        *(long*)(slot - RecordExpiry.Size) = RecordExpiry.Never;
        attempt.Unlatch(record, header);
        return true;
    }

    private static void PutWithout(Attempt<TProbe> attempt, ValueSlot value, ref ulong header)
    {
        if (attempt.Large.Prepared?.Without is not { } other)
        {
            _ = value.TryReplace(attempt.Partials.WithoutWhole);
            header &= ~RecordHeader.Large;
            return;
        }

        Span<byte> head = stackalloc byte[LargeHead.Size];
        other.Head.WriteTo(head);
        _ = value.TryReplace(head);
        header |= RecordHeader.Large;
    }
}
