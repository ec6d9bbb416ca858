using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A key as it is passed to an engine. Implementations are structs or ref structs, so that the engine's code is
/// specialized for each and no call goes through an interface.
/// </summary>
/// <remarks>
/// A record stores its key in a <em>key slot</em>: a multiple of 8 bytes, directly after the record header. A key of
/// fixed size is zero-padded; a key of variable length has a 32-bit little-endian length before its bytes. Two keys are
/// equal if their bytes are equal.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public unsafe interface IKey
{
    /// <summary>The size of the key slot in bytes if all keys have the same size; 0 if they vary.</summary>
    static abstract int FixedSlotSize { get; }

    /// <summary>The size of this key's slot in bytes, a multiple of 8.</summary>
    int SlotSize { get; }

    /// <summary>
    /// Whether every key's slot is one 64-bit word, so that <see cref="Word"/> is compared instead of calling
    /// <see cref="Matches"/>; its hash is then that of the word (<see cref="KeyHash.Of(ulong, in HashSeed)"/>).
    /// </summary>
    static virtual bool IsWord => false;

    /// <summary>The key's slot as a word; 0 unless <see cref="IsWord"/>.</summary>
    ulong Word { get; }

    /// <summary>Computes the key's hash (see <see cref="KeyHash"/>).</summary>
    ulong Hash(in HashSeed seed);

    /// <summary>Returns whether the slot holds this key.</summary>
    /// <param name="slot">A key slot, 8-byte aligned.</param>
    bool Matches(byte* slot);

    /// <summary>Writes the whole slot, padding included.</summary>
    /// <param name="slot">Space for <see cref="SlotSize"/> bytes, 8-byte aligned.</param>
    void WriteTo(byte* slot);
}
