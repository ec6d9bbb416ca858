namespace Faster.Contracts;

/// <summary>Images of key slots whose type only the store's schema tells.</summary>
internal static unsafe class KeySlot
{
    /// <summary>Whether two slots hold the same key.</summary>
    /// <param name="slot">A slot.</param>
    /// <param name="image">Another, of the given size.</param>
    /// <param name="size">Its size in bytes.</param>
    public static bool Matches(byte* slot, byte* image, int size) =>
        // The first eight bytes hold the length, where lengths vary: unequal lengths are not read past.
        *(ulong*)slot == *(ulong*)image
        && new ReadOnlySpan<byte>(slot, size).SequenceEqual(new ReadOnlySpan<byte>(image, size));
}
