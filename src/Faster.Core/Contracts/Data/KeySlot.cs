namespace Faster.Contracts;

/// <summary>Compares images of key slots whose type is known only from the store's schema.</summary>
internal static unsafe class KeySlot
{
    /// <summary>Returns whether two slots hold the same key.</summary>
    /// <param name="slot">A key slot.</param>
    /// <param name="image">The image of another key slot, of the given size.</param>
    /// <param name="size">The size of the image in bytes.</param>
    public static bool Matches(byte* slot, byte* image, int size) =>
        // The first eight bytes hold the length if lengths vary, so a shorter slot is never read past its end.
        *(ulong*)slot == *(ulong*)image
        && new ReadOnlySpan<byte>(slot, size).SequenceEqual(new ReadOnlySpan<byte>(image, size));
}
