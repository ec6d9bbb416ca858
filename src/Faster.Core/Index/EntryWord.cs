using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Faster.Index;

/// <summary>
/// The eight bytes of an index entry (paper 000, Fig. 2): address, tag, tentative bit, read-cache bit.
/// </summary>
/// <remarks>
/// Bits 0–47 hold the address of the newest record of the chain, 48–61 the tag, 62 says that the entry is tentative, 63
/// that the address is one of the read cache. The word 0 is an empty slot; an entry's address is never 0, so an entry
/// of tag 0 is not mistaken for an empty slot. Drawn in docs/formats/hash-index.md.
/// <para>A <em>chain address</em> is an address of the log, or of the read cache and then negative: the one comparison
/// with a marker of the log, which every operation makes, leads away from the hit path, and nobody asks for the bit
/// there.</para>
/// Thread-safe: pure functions.
/// </remarks>
internal static class EntryWord
{
    /// <summary>Where the tag begins.</summary>
    public const int TagShift = 48;

    /// <summary>The bits of the address.</summary>
    public const ulong AddressMask = (1UL << TagShift) - 1;

    /// <summary>The bits of the tag.</summary>
    public const ulong TagMask = ((1UL << HashBits.TagBits) - 1) << TagShift;

    /// <summary>The entry is in the first phase of its insert: finds do not see it (§3.2).</summary>
    public const ulong Tentative = 1UL << 62;

    /// <summary>The address is one of the read cache (App. D): the sign of a chain address.</summary>
    public const ulong ReadCache = 1UL << 63;

    /// <summary>The tag of a hash where it stands in an entry, all other bits 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong PatternOf(ulong hash) => hash >> (64 - HashBits.TagBits) << TagShift;

    /// <summary>A final entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(uint tag, long address)
    {
        Debug.Assert(address > 0 && (ulong)address <= AddressMask && tag < 1U << HashBits.TagBits);
        return ((ulong)tag << TagShift) | (ulong)address;
    }

    /// <summary>The chain address in an entry: negative when it is one of the read cache.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long AddressOf(ulong word) => (long)(word & (AddressMask | ReadCache));

    /// <summary>An address of the read cache as a chain address.</summary>
    public static long OfCache(long address) => address | long.MinValue;

    /// <summary>The entry with another chain address: tag and nothing else stays, and the result is final.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong WithAddress(ulong word, long address)
    {
        Debug.Assert(address != 0 && ((ulong)address & ~(AddressMask | ReadCache)) == 0);
        return (word & TagMask) | (ulong)address;
    }
}
