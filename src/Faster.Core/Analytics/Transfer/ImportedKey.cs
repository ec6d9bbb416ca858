using Faster.Contracts;

namespace Faster.Analytics.Transfer;

/// <summary>A key of an import stream, whose type is known only from the store's schema.</summary>
/// <param name="bytes">The key's bytes.</param>
/// <param name="slotSize">The size of every key slot in bytes, or 0 if it varies.</param>
internal readonly unsafe ref struct ImportedKey(ReadOnlySpan<byte> bytes, int slotSize) : IKey
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;

    /// <inheritdoc/>
    /// <remarks>The size is not known at compile time.</remarks>
    public static int FixedSlotSize => 0;

    /// <inheritdoc/>
    public int SlotSize => slotSize != 0 ? slotSize : VariableLength.SlotSize(_bytes.Length);

    /// <inheritdoc/>
    public ulong Word => 0;

    /// <inheritdoc/>
    public ulong Hash(in HashSeed seed)
    {
        if (slotSize == 0 || _bytes.Length > sizeof(ulong)) return KeyHash.Of(_bytes, seed);
        ulong word = 0;
        _bytes.CopyTo(new Span<byte>(&word, sizeof(ulong)));
        return KeyHash.Of(word, seed);
    }

    /// <inheritdoc/>
    public bool Matches(byte* slot) => slotSize != 0
        ? _bytes.SequenceEqual(new ReadOnlySpan<byte>(slot, _bytes.Length))
        : VariableLength.KeyEquals(slot, _bytes);

    /// <inheritdoc/>
    public void WriteTo(byte* slot)
    {
        if (slotSize == 0)
        {
            new BytesKey(_bytes).WriteTo(slot);
            return;
        }

        *(ulong*)(slot + slotSize - sizeof(ulong)) = 0; // the padding
        _bytes.CopyTo(new Span<byte>(slot, slotSize));
    }
}
