using Faster.HotRing.Rings;
using Faster.Memory;

namespace Faster.HotRing.Rehash;

/// <summary>
/// The rehash items of one rehash (paper 002 §3.4): one for each ring of the new table, in a block that is freed as a
/// whole.
/// </summary>
internal sealed unsafe class RehashItems : IDisposable
{
    private readonly NativeBlock _block;

    /// <summary>Makes the items of a table.</summary>
    /// <exception cref="LimitExceededException">The system refuses the memory.</exception>
    public RehashItems(RingTable table)
    {
        _block = new NativeBlock(BytesFor(table.Bits));
        for (long ring = 0; ring < table.Count; ring++)
        {
            ItemLayout.Word(Of(ring)) = ItemWord.Rehash;
            ItemLayout.SetHash(Of(ring), table.StartOf(ring));
        }
    }

    /// <summary>The size in bytes of the items of a table.</summary>
    public static long BytesFor(int bits) => ItemLayout.KeyOffset * (1L << bits);

    /// <summary>The item of a ring of the new table.</summary>
    public byte* Of(long ring) => _block.Pointer + (ItemLayout.KeyOffset * ring);

    /// <summary>Frees the items, which no session can see any more.</summary>
    public void Dispose() => _block.Dispose();
}
