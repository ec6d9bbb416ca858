using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Contracts;

/// <summary>
/// Computes the hash of keys: 64 bits, keyed with a <see cref="HashSeed"/>, from folded 64 × 64 → 128-bit
/// multiplications.
/// </summary>
/// <remarks>
/// Thread-safe: pure functions. Bucket index and tag use disjoint bits of the result (see <c>Index/HashBits</c>), so
/// every bit must depend on every bit of the key; two multiplications per 16 bytes achieve that. Results are part of
/// the on-disk format: a change here needs a new format version.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class KeyHash
{
    /// <summary>2^64 / golden ratio.</summary>
    internal const ulong P0 = 0x9E3779B97F4A7C15;

    /// <summary>Odd, with a balanced bit count.</summary>
    internal const ulong P1 = 0xD6E8FEB86659FD93;

    /// <summary>
    /// Spreads values that are close to each other over all 64 bits, best over the upper ones (Fibonacci hashing).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Spread(ulong value) => value * P0;

    /// <summary>Computes the hash of a key of up to eight bytes, zero-extended to 64 bits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(ulong key, in HashSeed seed)
    {
        ulong a = key ^ seed.A, b = seed.B | 1;
        return Fold(WideProduct.High(a, b) ^ P0, (a * b) ^ P1);
    }

    /// <summary>
    /// Computes the hash of a key of any length in bytes. The length is included: a key and its zero-padded form have
    /// different hashes.
    /// </summary>
    public static ulong Of(ReadOnlySpan<byte> key, in HashSeed seed)
    {
        ref byte at = ref MemoryMarshal.GetReference(key);
        ulong state = seed.A ^ Fold((ulong)key.Length ^ P0, seed.B ^ P1);
        int left = key.Length;
        while (left >= 16)
        {
            state = Fold(Read64(ref at) ^ P1, Read64(ref Unsafe.Add(ref at, 8)) ^ state);
            at = ref Unsafe.Add(ref at, 16);
            left -= 16;
        }

        ulong first = 0, second = 0;
        if (left >= 8)
        {
            first = Read64(ref at);
            second = ReadUpTo7(ref Unsafe.Add(ref at, 8), left - 8);
        }
        else
        {
            first = ReadUpTo7(ref at, left);
        }

        state = Fold(first ^ P1, second ^ state);
        return Fold(state ^ seed.B, P0);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong a, ulong b) => WideProduct.High(a, b) ^ (a * b);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Read64(ref byte at) => Unsafe.ReadUnaligned<ulong>(ref at);

    private static ulong ReadUpTo7(ref byte at, int count)
    {
        ulong value = 0;
        for (int i = 0; i < count; i++)
            value |= (ulong)Unsafe.Add(ref at, i) << (8 * i);
        return value;
    }
}
