using Faster.Contracts;
using Faster.HotRing.Rings;
using Faster.Invariants;

namespace Faster.HotRing.Rehash;

/// <summary>The steps of a rehash for one ring (<see cref="RingIndex{TProbe}"/>).</summary>
/// <remarks>Called under the rehash thread's epoch. Not thread-safe.</remarks>
/// <param name="editor">The rehash thread's editor, with the view of the current state.</param>
/// <param name="items">The rehash items.</param>
/// <param name="table">The new table.</param>
internal sealed unsafe class RingSplitter<TProbe>(RingEditor<TProbe> editor, RehashItems items, RingTable table)
    where TProbe : struct, IProbe
{
    /// <summary>Inserts the two rehash items into a ring of the old table, and points the new heads to them.</summary>
    /// <param name="ring">The old ring.</param>
    public void Insert(long ring)
    {
        byte* low = items.Of(2 * ring), high = items.Of((2 * ring) + 1);
        table.Heads[2 * ring] = (ulong)low;
        table.Heads[(2 * ring) + 1] = (ulong)high;
        if (editor.TryInsertPair(low, high)) return;
        Insert(low);
        Insert(high);
    }

    /// <summary>
    /// Parts a ring. Every operation under way began at one of the two rehash items.
    /// </summary>
    /// <param name="ring">The old ring.</param>
    public void Part(long ring)
    {
        byte* low = items.Of(2 * ring), high = items.Of((2 * ring) + 1);
        // Between the two swaps a walk from the higher rehash item may go on into the lower ring, and finds that its
        // key is missing at the first step down.
        editor.Redirect(ItemLayout.Hash(low), high, low);
        editor.Redirect(ItemLayout.Hash(high), low, high);
    }

    /// <summary>Deletes the rehash item of a ring of the new table.</summary>
    /// <param name="ring">The new ring.</param>
    public void Delete(long ring)
    {
        ulong hash = table.StartOf(ring);
        while (editor.Seek(default(BoundaryKey), hash, needsPrevious: true, out RingPlace place))
            if (editor.TryDelete(default(BoundaryKey), hash, ref place)) return;
        Invariant.Check(false, $"ring {ring} has its rehash item until it is deleted");
    }

    private void Insert(byte* item)
    {
        ulong hash = ItemLayout.Hash(item);
        for (;;)
        {
            bool isThere = editor.Seek(default(BoundaryKey), hash, needsPrevious: true, out RingPlace place);
            Invariant.Check(!isThere, $"the rehash item of {hash:x} is inserted once");
            if (RingEditor<TProbe>.TryInsert(place, item)) return;
        }
    }
}
