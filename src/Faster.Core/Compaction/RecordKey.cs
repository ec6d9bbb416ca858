using Faster.Contracts;

namespace Faster.Compaction;

/// <summary>The key of a record in a copied page, as it lies in its slot.</summary>
/// <remarks>Valid as long as the page is.</remarks>
internal readonly unsafe struct RecordKey(byte* slot, int size, ulong hash) : IKey
{
    /// <inheritdoc/>
    /// <remarks>Not known at compile time: the store's schema tells.</remarks>
    public static int FixedSlotSize => 0;

    /// <inheritdoc/>
    public int SlotSize => size;

    /// <inheritdoc/>
    public ulong Hash(in HashSeed seed) => hash;

    /// <inheritdoc/>
    public bool Matches(byte* other) => KeySlot.Matches(other, slot, size);

    /// <inheritdoc/>
    public void WriteTo(byte* target) => new ReadOnlySpan<byte>(slot, size).CopyTo(new Span<byte>(target, size));
}
