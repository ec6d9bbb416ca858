using Faster.Engines.HotRing.Rings;
using Faster.Memory;

namespace Faster.Engines.HotRing.Rehash;

/// <summary>
/// The rehash items of a part of the rings (paper 002 §3.4): two for each ring that is being split, with the smallest
/// hashes of its halves. The next part uses the same memory.
/// </summary>
/// <remarks>Not thread-safe: it belongs to the rehash thread; the items are changed as any item of a ring is.</remarks>
internal sealed unsafe class RehashItems : IDisposable
{
    private readonly NativeBlock _block;
    private long _first;

    /// <summary>Makes the items of parts of a size.</summary>
    /// <exception cref="LimitExceededException">The system refuses the memory.</exception>
    public RehashItems(long rings)
    {
        Rings = rings;
        _block = new NativeBlock(BytesFor(rings));
    }

    /// <summary>The number of rings of a part.</summary>
    public long Rings { get; }

    /// <summary>The size in bytes of the items of a number of rings.</summary>
    public static long BytesFor(long rings) => 2 * ItemLayout.KeyOffset * rings;

    /// <summary>Makes the items those of the next part, which no session can see yet.</summary>
    /// <param name="table">The new table.</param>
    /// <param name="first">The first ring of the part, in the old table.</param>
    public void BeginAt(RingTable table, long first)
    {
        _first = first;
        for (long ring = 2 * first; ring < Math.Min(2 * (first + Rings), table.Count); ring++)
        {
            ItemLayout.Word(Of(ring)) = ItemWord.Rehash;
            ItemLayout.SetHash(Of(ring), table.StartOf(ring));
        }
    }

    /// <summary>The item of a ring of the new table, which is in the part.</summary>
    public byte* Of(long ring) => _block.Pointer + (ItemLayout.KeyOffset * (ring - (2 * _first)));

    /// <summary>Frees the items, which no session can see any more.</summary>
    public void Dispose() => _block.Dispose();
}
