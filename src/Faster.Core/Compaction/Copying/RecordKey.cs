using Faster.Contracts;

namespace Faster.Compaction.Copying;

/// <summary>The key of a record in a page's copy, in the form of its slot.</summary>
/// <remarks>Valid as long as the copy is.</remarks>
internal readonly unsafe struct RecordKey(byte* slot, int size, ulong hash) : IKey
{
    /// <inheritdoc/>
    /// <remarks>0: not known at compile time, but defined by the store's schema.</remarks>
    public static int FixedSlotSize => 0;

    /// <inheritdoc/>
    public int SlotSize => size;

    /// <inheritdoc/>
    public ulong Word => 0;

    /// <inheritdoc/>
    public ulong Hash(in HashSeed seed) => hash;

    /// <inheritdoc/>
    public bool Matches(byte* other) => KeySlot.Matches(other, slot, size);

    /// <inheritdoc/>
    public void WriteTo(byte* target) => new ReadOnlySpan<byte>(slot, size).CopyTo(new Span<byte>(target, size));
}
