using System.Buffers.Binary;

namespace Faster.Crash.Swarm;

/// <summary>A value of the model: what was put, and what was appended since, regenerated from seeds.</summary>
/// <remarks>Immutable except for the cached hash. Not thread-safe.</remarks>
internal sealed class SwarmValue
{
    private readonly SwarmValue? _before;
    private readonly uint _seed;
    private readonly int _own;
    private ulong? _hash;

    /// <summary>A value that continues another one, or a new one.</summary>
    public SwarmValue(SwarmValue? before, uint seed, int length)
    {
        (_before, _seed, _own) = (before, seed, length);
        Length = length + (before?.Length ?? 0);
    }

    /// <summary>The bytes.</summary>
    public int Length { get; }

    /// <summary>The hash by which the store's bytes are compared, together with their length.</summary>
    public ulong Hash => _hash ??= HashOf(BytesOf(_seed, _own), _before?.Hash ?? HashOf([]));

    /// <summary>A hash that can be continued: the hash of a whole follows from that of its beginning.</summary>
    public static ulong HashOf(ReadOnlySpan<byte> bytes, ulong begun = 0xCBF29CE484222325)
    {
        foreach (byte b in bytes) begun = (begun ^ b) * 0x100000001B3;
        return begun;
    }

    /// <summary>
    /// Arbitrary bits, by a seed: hashes, measured numbers, text, small numbers. User bytes may look like anything,
    /// including valid record headers.
    /// </summary>
    public static byte[] BytesOf(uint seed, int length)
    {
        byte[] bytes = new byte[(length + 7) & ~7];
        ulong state = seed * 0x9E3779B97F4A7C15;
        for (int i = 0; i < bytes.Length; i += 8)
        {
            ulong bits = Mix(state += 0x9E3779B97F4A7C15);
            ulong word = (seed % 8) switch
            {
                < 4 => bits,
                4 => (ulong)BitConverter.DoubleToInt64Bits(20 + (bits % 5_000_000 / 1000.0)),
                5 => (bits & 0x0F0F0F0F0F0F0F0F) + 0x6161616161616161,
                6 => bits % 1000,
                _ => bits % 3 == 0 ? bits : 0,
            };
            BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(i), word);
        }

        return bytes.AsSpan(0, length).ToArray();
    }

    /// <summary>Scatters bits.</summary>
    public static ulong Mix(ulong x)
    {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        return x ^ (x >> 31);
    }
}
