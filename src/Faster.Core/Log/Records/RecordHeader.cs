using System.Runtime.CompilerServices;
using Faster.Log.Large;

namespace Faster.Log.Records;

/// <summary>
/// The 64-bit record header (paper 000 Fig. 2; docs/formats/record.md): the previous address of the chain, the CPR
/// version and eight flags.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The version code of a record is never 0, so a word of zeros is no record: this identifies gaps in the
/// log.</item>
/// <item>Any thread may change an unlatched header by compare-and-swap; of a latched one, the owner of the latch writes
/// the flags, and no thread the previous address.</item>
/// <item>Any thread that may update the record may store its version, latched or not: all that may do so at one time
/// store the same one. A latch's owner leaves the version as it is, or stores it too.</item>
/// <item>In a log, the previous address lies below the record's own.</item>
/// </list>
/// <para>Thread-safe: pure functions, and accesses that are named by what they order.</para>
/// </remarks>
internal static class RecordHeader
{
    /// <summary>The size of the header in bytes.</summary>
    public const int Size = 8;

    /// <summary>The number of bits of an address.</summary>
    public const int AddressBits = 48;

    /// <summary>Bits 0–47: the previous address in the chain; 0 ends it.</summary>
    public const ulong AddressMask = (1UL << AddressBits) - 1;

    /// <summary>Bits 48–55: the version, modulo 255, plus 1.</summary>
    public const int VersionShift = AddressBits;

    /// <summary>Bits 56–63: the flags.</summary>
    public const int FlagsShift = 56;

    /// <summary>The bits of the version.</summary>
    public const ulong VersionMask = 0xFFUL << VersionShift;

    /// <summary>The version of a new store.</summary>
    public const long FirstVersion = 1;

    /// <summary>Bit 56: the record is skipped, because it was never linked.</summary>
    public const ulong Invalid = 1UL << 56;

    /// <summary>Bit 57: the key was deleted.</summary>
    public const ulong Tombstone = 1UL << 57;

    /// <summary>
    /// Bit 58: a newer record has superseded this one, or is about to; no more updates in place. A sealed record with
    /// <see cref="Delta"/> may have a newer delta in front of it and still count.
    /// </summary>
    public const ulong Sealed = 1UL << 58;

    /// <summary>
    /// Bit 59: the value is a delta, to be merged with the key's older records down to a whole value (§6.3). Never
    /// together with <see cref="Tombstone"/>.
    /// </summary>
    public const ulong Delta = 1UL << 59;

    /// <summary>Bit 60: the record has two previous addresses (App. B): <see cref="ChainJoinRecord"/>.</summary>
    public const ulong ChainJoin = 1UL << 60;

    /// <summary>Bit 61: an expiry lies between key and value: <see cref="RecordExpiry"/>.</summary>
    public const ulong Expiring = 1UL << 61;

    /// <summary>
    /// Bit 62: the value is a <see cref="LargeHead"/>; with <see cref="Invalid"/>: a <see cref="ValueFragment"/>.
    /// </summary>
    public const ulong Large = 1UL << 62;

    /// <summary>Bit 63: a session is updating the record in place. Has no meaning on disk.</summary>
    public const ulong Latch = 1UL << 63;

    /// <summary>The flags that exclude an update in place, whatever the record's region.</summary>
    public const ulong NotUpdated = Tombstone | Sealed | ChainJoin | Large;

    /// <summary>The flags that exclude reading the value as it is.</summary>
    public const ulong NotPlain = Tombstone | Delta | ChainJoin | Expiring | Large;

    /// <summary>The code of a version: never 0.</summary>
    public static byte CodeOf(long version) => (byte)((version % 255) + 1);

    /// <summary>The code of a version, in the position of a header's version bits.</summary>
    public static ulong VersionBits(long version) => (ulong)CodeOf(version) << VersionShift;

    /// <summary>The version code of a header.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte VersionCode(ulong header) => (byte)(header >> VersionShift);

    /// <summary>A header of the first version.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Make(long previous, ulong flags = 0) =>
        (ulong)previous | ((FirstVersion + 1UL) << VersionShift) | flags;

    /// <summary>The previous address in the chain.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Previous(ulong header) => (long)(header & AddressMask);

    /// <summary>The header with another previous address.</summary>
    public static ulong WithPrevious(ulong header, long previous) => (header & ~AddressMask) | (ulong)previous;

    /// <summary>The header of a record with a key that must be skipped; never that of a fragment.</summary>
    public static ulong Invalidated(ulong header) => (header | Invalid) & ~Large;

    /// <summary>Whether a header on disk can belong to a record.</summary>
    public static bool IsSound(ulong header) =>
        (VersionCode(header) != 0 || (header & Invalid) != 0)
            && (header & (ChainJoin | Expiring)) != (ChainJoin | Expiring);

    /// <summary>Reads a header that other sessions may be changing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe ulong Read(byte* record) => Volatile.Read(ref *(ulong*)record);

    /// <summary>Writes a header that the caller owns; everything written before it becomes visible first.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe void Write(byte* record, ulong header) => Volatile.Write(ref *(ulong*)record, header);

    /// <summary>
    /// Writes the flags of a header whose latch the caller owns; everything written before becomes visible first.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe void WriteFlags(byte* record, ulong header) =>
        Volatile.Write(ref record[FlagsShift / 8], (byte)(header >> FlagsShift));

    /// <summary>As <see cref="WriteFlags"/>, and the version with them.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe void WriteStamped(byte* record, ulong header) =>
        Volatile.Write(ref *(ushort*)(record + (VersionShift / 8)), (ushort)(header >> VersionShift));

    /// <summary>Writes the version of a header that other threads may be changing.</summary>
    /// <param name="record">The record.</param>
    /// <param name="code">The version's code.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe void Stamp(byte* record, byte code) => record[VersionShift / 8] = code;

    /// <summary>Replaces an unlatched header unless it has changed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe bool TryReplace(byte* record, ulong expected, ulong header) =>
        Interlocked.CompareExchange(ref *(ulong*)record, header, expected) == expected;
}
