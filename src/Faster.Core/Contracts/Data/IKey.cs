namespace Faster.Contracts;

/// <summary>
/// One key on its way into an engine. Implementations are structs (or ref structs), so that the engine's code is
/// specialised for each and nothing is called through an interface.
/// </summary>
/// <remarks>
/// A record stores its key in a <em>key slot</em>: a multiple of 8 bytes, right behind the record header. A key of
/// fixed size lies there zero-padded; one of variable length has a 32-bit little-endian length before its bytes.
/// Two keys are equal when their bytes are.
/// </remarks>
public unsafe interface IKey
{
    /// <summary>The bytes of the key slot when all keys have the same size; 0 when they vary.</summary>
    static abstract int FixedSlotSize { get; }

    /// <summary>The bytes of this key's slot, a multiple of 8.</summary>
    int SlotSize { get; }

    /// <summary>The key's hash (see <see cref="KeyHash"/>).</summary>
    ulong Hash(in HashSeed seed);

    /// <summary>Whether the slot holds this key.</summary>
    /// <param name="slot">A key slot, 8-byte aligned.</param>
    bool Matches(byte* slot);

    /// <summary>Writes the whole slot, padding included.</summary>
    /// <param name="slot">Room for <see cref="SlotSize"/> bytes, 8-byte aligned.</param>
    void WriteTo(byte* slot);
}
