using System.Runtime.CompilerServices;
using Faster.Index;
using Faster.Log;

namespace Faster.Caching;

/// <summary>
/// The 64-bit header of a record in the read cache (paper 000, App. D). Key and value lie behind it as in any record.
/// </summary>
/// <remarks>
/// <para>Bits 0–47 and 63 are a chain address: the next record of the cached prefix, or the log's newest record of the
/// chain. Bits 48–55 count how often the record was read, plus 1: so the header of a record is never below 2^48. Bit 56
/// says that the record was never linked. Bit 57 says that the word in front of the record is the address of the record
/// that it stands for; else the previous address is. Bit 61 is the record's own: it expires.</para>
/// <para>Who writes: before it is linked, its maker. Afterwards the evictor alone redirects the previous address, by
/// plain stores of the whole word; readers store the one byte of the count. Either may undo a count of the other, which
/// is a hint; no reader touches the bytes of the address.</para>
/// </remarks>
internal static unsafe class CachedRecord
{
    /// <summary>The most reads that are counted: so many second chances.</summary>
    public const int MostUses = 3;

    private const ulong Invalid = RecordHeader.Invalid;
    private const ulong HasOwn = 1UL << 57;
    private const ulong PreviousMask = EntryWord.AddressMask | EntryWord.ReadCache;
    private const int UsesShift = 48;
    private const int UsesByte = UsesShift / 8;

    /// <summary>A header.</summary>
    /// <param name="previous">A chain address.</param>
    /// <param name="uses">How often it counts as read.</param>
    /// <param name="hasOwn">Whether the word in front of the record is the address that it stands for.</param>
    public static ulong Make(long previous, int uses, bool hasOwn) =>
        (ulong)previous | ((ulong)(uses + 1) << UsesShift) | (hasOwn ? HasOwn : 0);

    /// <summary>The next chain address: negative when it is one of the cache.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Previous(ulong header) => (long)(header & PreviousMask);

    /// <summary>The header with another previous address.</summary>
    public static ulong WithPrevious(ulong header, long previous) => (header & ~PreviousMask) | (ulong)previous;

    /// <summary>The header of a record that was not linked after all.</summary>
    public static ulong AsInvalid(ulong header) => header | Invalid;

    /// <summary>Whether the record was never linked.</summary>
    public static bool IsInvalid(ulong header) => (header & Invalid) != 0;

    /// <summary>Whether a word is no header, but the address that the record behind it stands for.</summary>
    public static bool IsOwn(ulong word) => word >> UsesShift == 0;

    /// <summary>The address in the log of the record that a cached one stands for.</summary>
    public static long Own(byte* record, ulong header) =>
        (header & HasOwn) != 0 ? *(long*)(record - sizeof(long)) : Previous(header);

    /// <summary>How often the record was read since it was written, up to <see cref="MostUses"/>.</summary>
    public static int Uses(ulong header) => (byte)(header >> UsesShift) - 1;

    /// <summary>Counts a read. A record that is read all the time is not written any more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Touch(byte* record, ulong header)
    {
        int uses = Uses(header);
        if (uses < MostUses) Volatile.Write(ref record[UsesByte], (byte)(uses + 2));
    }
}
