using Faster.Engines.HotRing.Rings;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Engines.HotRing.Rehash;

/// <summary>The steps of a rehash for one ring (<see cref="RingIndex"/>).</summary>
/// <remarks>Called under the rehash thread's epoch. Not thread-safe.</remarks>
/// <param name="editor">The rehash thread's editor, with the view of the state in which rings are split.</param>
/// <param name="items">The rehash items.</param>
/// <param name="table">The new table.</param>
/// <param name="old">The old table.</param>
internal sealed unsafe class RingSplitter(RingEditor editor, RehashItems items, RingTable table, RingTable old)
{
    /// <summary>Inserts the two rehash items into a ring, and points the new heads to them.</summary>
    /// <param name="ring">The ring, in the old table.</param>
    public void Insert(long ring)
    {
        byte* low = items.Of(2 * ring), high = items.Of((2 * ring) + 1);
        if (!editor.TryInsertPair(low, high))
        {
            Insert(low);
            Insert(high);
        }

        Begin(2 * ring, low);
        Begin((2 * ring) + 1, high);
    }

    /// <summary>
    /// Parts a ring, and deletes its rehash items. Every operation under way in it began at one of the two.
    /// </summary>
    /// <param name="ring">The ring, in the old table.</param>
    public void Part(long ring)
    {
        byte* low = items.Of(2 * ring), high = items.Of((2 * ring) + 1);
        // Between the two swaps a walk from the higher rehash item may go on into the lower ring, and finds that its
        // key is missing at the first step down.
        editor.Redirect(ItemLayout.Hash(low), high, low);
        editor.Redirect(ItemLayout.Hash(high), low, high);
        editor.InheritHead(old.Heads + ring);
        Delete(low);
        Delete(high);
    }

    private void Begin(long ring, byte* item)
    {
        Probe.Point(ProbePoint.RingSwap);
        Volatile.Write(ref table.Heads[ring], (ulong)item);
    }

    private void Insert(byte* item)
    {
        ulong hash = ItemLayout.Hash(item);
        for (;;)
        {
            bool isThere = editor.Seek(default(BoundaryKey), hash, needsPrevious: true, out RingPlace place);
            Invariant.Check(!isThere, $"the rehash item of {hash:x} is inserted once");
            if (RingEditor.TryInsert(place, item)) return;
        }
    }

    private void Delete(byte* item)
    {
        ulong hash = ItemLayout.Hash(item);
        while (editor.Seek(default(BoundaryKey), hash, needsPrevious: true, out RingPlace place))
            if (editor.TryDelete(default(BoundaryKey), hash, ref place)) return;
        Invariant.Check(false, $"the ring of {hash:x} has its rehash item until it is deleted");
    }
}
