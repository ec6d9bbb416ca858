using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Faster.Contracts;

/// <summary>
/// A key of variable length: bytes, or the bytes of a string. The engine copies it if an operation goes pending.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly unsafe ref struct BytesKey : IKey
{
    private readonly ReadOnlySpan<byte> _bytes;

    /// <summary>Wraps the bytes of a key, which must not change during the call.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public BytesKey(ReadOnlySpan<byte> bytes) => _bytes = bytes;

    /// <inheritdoc/>
    public static int FixedSlotSize => 0;

    /// <inheritdoc/>
    public int SlotSize => VariableLength.SlotSize(_bytes.Length);

    /// <inheritdoc/>
    public ulong Word => 0;

    /// <inheritdoc/>
    public ulong Hash(in HashSeed seed) => KeyHash.Of(_bytes, seed);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Matches(byte* slot) => VariableLength.KeyEquals(slot, _bytes);

    /// <inheritdoc/>
    public void WriteTo(byte* slot)
    {
        int size = SlotSize;
        *(ulong*)(slot + size - 8) = 0; // the padding
        *(uint*)slot = (uint)_bytes.Length;
        _bytes.CopyTo(new Span<byte>(slot + VariableLength.KeyPrefix, size - VariableLength.KeyPrefix));
    }
}
