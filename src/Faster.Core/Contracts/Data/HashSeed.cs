namespace Faster.Contracts;

/// <summary>
/// The 128 random bits that key a store's hash, so that no one outside can choose keys that collide. Kept in the
/// store's metadata.
/// </summary>
/// <param name="A">The first 64 bits.</param>
/// <param name="B">The second 64 bits.</param>
public readonly record struct HashSeed(ulong A, ulong B)
{
    /// <summary>A seed from the system's random number generator.</summary>
    public static HashSeed Random()
    {
        Span<byte> bytes = stackalloc byte[16];
        System.Security.Cryptography.RandomNumberGenerator.Fill(bytes);
        return new HashSeed(BitConverter.ToUInt64(bytes), BitConverter.ToUInt64(bytes[8..]));
    }
}
