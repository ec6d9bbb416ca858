using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// The 128 random bits that key a store's hash, so that an attacker cannot choose keys that collide. Stored in the
/// store's metadata.
/// </summary>
/// <param name="A">The first 64 bits.</param>
/// <param name="B">The second 64 bits.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct HashSeed(ulong A, ulong B)
{
    /// <summary>Creates a seed with the system's cryptographic random number generator.</summary>
    public static HashSeed Random()
    {
        Span<byte> bytes = stackalloc byte[16];
        System.Security.Cryptography.RandomNumberGenerator.Fill(bytes);
        return new HashSeed(BitConverter.ToUInt64(bytes), BitConverter.ToUInt64(bytes[8..]));
    }
}
