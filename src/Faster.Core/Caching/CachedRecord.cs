using System.Runtime.CompilerServices;
using Faster.Index;
using Faster.Log.Records;

namespace Faster.Caching;

/// <summary>
/// The 64-bit header of a record in the read cache (paper 000, App. D). Key and value follow it as in any record.
/// </summary>
/// <remarks>
/// <para>Bits 0–47 and 63 are a chain address: the next record of the cached prefix, or the log's newest record of the
/// chain. Bits 48–55 are the number of times the record was read, plus 1, so a header is never below 2^48. Bit 56 is
/// set if the record was never linked. Bit 57 is set if the word in front of the record is the address of the record
/// that it copies; otherwise the previous address is that address. Bit 61 is set if the record expires, as in any
/// record.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Before the record is linked, only the thread that makes it writes the header.</item>
/// <item>Afterwards only the evictor redirects the previous address, by plain stores of the whole word, and readers
/// store the one byte of the count. Either may undo a count of the other, which is only a hint; no reader writes the
/// bytes of the address.</item>
/// <item>The count is 0 to <see cref="MaxUses"/>.</item>
/// </list>
/// </remarks>
internal static unsafe class CachedRecord
{
    /// <summary>The maximum number of reads that are counted, and so of second chances.</summary>
    public const int MaxUses = 3;

    private const ulong Invalid = RecordHeader.Invalid;
    private const ulong HasOwn = 1UL << 57;
    private const ulong PreviousMask = EntryWord.AddressMask | EntryWord.ReadCache;
    private const int UsesShift = 48;
    private const int UsesByte = UsesShift / 8;

    /// <summary>Makes a header.</summary>
    /// <param name="previous">A chain address.</param>
    /// <param name="uses">The number of reads that it counts.</param>
    /// <param name="hasOwn">
    /// Whether the word in front of the record is the address of the record that it copies.
    /// </param>
    public static ulong Make(long previous, int uses, bool hasOwn) =>
        (ulong)previous | ((ulong)(uses + 1) << UsesShift) | (hasOwn ? HasOwn : 0);

    /// <summary>Returns the next chain address: negative if it is an address of the cache.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Previous(ulong header) => (long)(header & PreviousMask);

    /// <summary>Returns the header with another previous address.</summary>
    public static ulong WithPrevious(ulong header, long previous) => (header & ~PreviousMask) | (ulong)previous;

    /// <summary>Returns the header of a record whose link has failed.</summary>
    public static ulong AsInvalid(ulong header) => header | Invalid;

    /// <summary>Returns whether the record was never linked.</summary>
    public static bool IsInvalid(ulong header) => (header & Invalid) != 0;

    /// <summary>
    /// Returns whether a word is not a header but the address of the record that the following one copies.
    /// </summary>
    public static bool IsOwn(ulong word) => word >> UsesShift == 0;

    /// <summary>Returns the address in the main log of the record that a cached one copies.</summary>
    public static long Own(byte* record, ulong header) =>
        (header & HasOwn) != 0 ? *(long*)(record - sizeof(long)) : Previous(header);

    /// <summary>
    /// Returns the number of times the record was read since it was written, up to <see cref="MaxUses"/>.
    /// </summary>
    public static int Uses(ulong header) => (byte)(header >> UsesShift) - 1;

    /// <summary>Counts a read. Once the count has reached <see cref="MaxUses"/>, nothing is written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Touch(byte* record, ulong header)
    {
        int uses = Uses(header);
        if (uses < MaxUses) Volatile.Write(ref record[UsesByte], (byte)(uses + 2));
    }
}
