using System.Diagnostics;
using System.Runtime.CompilerServices;
using Faster.Log.Records;

namespace Faster.Index;

/// <summary>
/// The eight bytes of an index entry (paper 000, Fig. 2): address, tag, tentative bit, read-cache bit.
/// </summary>
/// <remarks>
/// <para>Bits 0–47 hold the address of the hash chain's newest record, bits 48–61 the tag; bit 62 marks the entry as
/// tentative, bit 63 the address as one of the read cache. The word 0 is an empty slot; an entry's address is never 0,
/// so an entry of tag 0 can't be mistaken for an empty slot. Drawn in docs/formats/hash-index.md.</para>
/// <para>A <em>chain address</em> is an address of the log or, if negative, of the read cache: the one comparison with
/// a marker of the log that every operation makes already leads away from the hit path, which needs no test of the
/// bit.</para>
/// <para>Thread-safe: pure functions.</para>
/// </remarks>
internal static class EntryWord
{
    /// <summary>The position of the tag's lowest bit.</summary>
    public const int TagShift = 48;

    /// <summary>The bits of the address.</summary>
    public const ulong AddressMask = (1UL << TagShift) - 1;

    /// <summary>The bits of the tag.</summary>
    public const ulong TagMask = ((1UL << HashBits.TagBits) - 1) << TagShift;

    /// <summary>The entry is in the first phase of its insert: searches do not see it (§3.2).</summary>
    public const ulong Tentative = 1UL << 62;

    /// <summary>The address belongs to the read cache (App. D): the sign of a chain address.</summary>
    public const ulong ReadCache = 1UL << 63;

    /// <summary>
    /// A slot that takes no entry any more, since its bucket is taken out of its chain. No entry: an entry is never
    /// tentative and of the read cache at once, and searches do not see what is tentative.
    /// </summary>
    public const ulong Closed = Tentative | ReadCache;

    /// <summary>The tag of a hash in its position in an entry, all other bits 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong PatternOf(ulong hash) => hash >> (64 - HashBits.TagBits) << TagShift;

    /// <summary>Makes a final entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(uint tag, long address)
    {
        Debug.Assert(address > 0 && (ulong)address <= AddressMask && tag < 1U << HashBits.TagBits);
        return ((ulong)tag << TagShift) | (ulong)address;
    }

    /// <summary>The chain address in an entry: negative when it belongs to the read cache.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long AddressOf(ulong word) => (long)(word & (AddressMask | ReadCache));

    /// <summary>
    /// Whether a word is a final entry with an address of the log below a begin address: its records are gone.
    /// </summary>
    public static bool LeadsBelow(ulong word, long begin) =>
        word != 0 && (word & (Tentative | ReadCache)) == 0 && (long)(word & AddressMask) < begin;

    /// <summary>The chain address of an address of the read cache.</summary>
    public static long OfCache(long address) => address | long.MinValue;

    /// <summary>The entry with another chain address: only the tag is preserved, and the result is final.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong WithAddress(ulong word, long address)
    {
        Debug.Assert(address != 0 && ((ulong)address & ~(AddressMask | ReadCache)) == 0);
        return (word & TagMask) | (ulong)address;
    }
}
