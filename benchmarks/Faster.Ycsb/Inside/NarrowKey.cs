using Faster.Contracts;

namespace Faster.Ycsb.Inside;

/// <summary>A key of 8 bytes of whose tag only some bits differ; the bucket is as it would be.</summary>
internal readonly unsafe struct NarrowKey<TTag>(long key) : IKey
    where TTag : struct, ITagWidth
{
    private readonly UnmanagedKey<long> _key = new(key);

    // Those of tags are the topmost (docs/formats/hash-index.md).
    private static int Cleared => NarrowTags.AllBits - TTag.Bits;

    /// <inheritdoc/>
    public static int FixedSlotSize => UnmanagedKey<long>.FixedSlotSize;

    /// <inheritdoc/>
    public int SlotSize => FixedSlotSize;

    /// <inheritdoc/>
    public ulong Word => 0;

    /// <inheritdoc/>
    public ulong Hash(in HashSeed seed) => _key.Hash(seed) << Cleared >> Cleared;

    /// <inheritdoc/>
    public bool Matches(byte* slot) => _key.Matches(slot);

    /// <inheritdoc/>
    public void WriteTo(byte* slot) => _key.WriteTo(slot);
}
