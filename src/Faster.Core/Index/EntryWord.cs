using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Faster.Index;

/// <summary>
/// The eight bytes of an index entry (paper 000, Fig. 2): address, tag, read-cache bit, tentative bit.
/// </summary>
/// <remarks>
/// Bits 0–47 hold the address of the newest record of the chain, 48–61 the tag, 62 says that the address is one of the
/// read cache, 63 that the entry is tentative. The word 0 is an empty slot; an entry's address is never 0, so an entry
/// of tag 0 is not mistaken for an empty slot. Drawn in docs/formats/hash-index.md.
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

    /// <summary>The address is one of the read cache (App. D).</summary>
    public const ulong ReadCache = 1UL << 62;

    /// <summary>The entry is in the first phase of its insert: finds do not see it (§3.2).</summary>
    public const ulong Tentative = 1UL << 63;

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

    /// <summary>The address in an entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long AddressOf(ulong word) => (long)(word & AddressMask);

    /// <summary>The entry with another address: tag and nothing else stays, and the result is final.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong WithAddress(ulong word, long address)
    {
        Debug.Assert(address > 0 && (ulong)address <= AddressMask);
        return (word & TagMask) | (ulong)address;
    }
}
