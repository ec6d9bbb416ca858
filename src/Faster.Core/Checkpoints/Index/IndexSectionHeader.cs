using System.Runtime.InteropServices;
using Faster.Log.Records;

namespace Faster.Checkpoints.Index;

/// <summary>
/// The first bytes of a section of an index checkpoint: some chains, whose entries all take the same number of bytes
/// (docs/formats/index-checkpoint.md).
/// </summary>
/// <remarks>
/// A packed entry has its tag in the highest bits, and below it the address without its lowest bits, which are 0 in all
/// addresses of the section.
/// </remarks>
/// <param name="Bytes">The length of the chains that follow, in bytes.</param>
/// <param name="Chains">The number of chains, above 0.</param>
/// <param name="EntryBytes">The length of a packed entry in bytes.</param>
/// <param name="AddressShift">The number of an address's lowest bits that are left out.</param>
[StructLayout(LayoutKind.Sequential, Pack = 4, Size = SizeInBytes)]
internal readonly record struct IndexSectionHeader(int Bytes, ushort Chains, byte EntryBytes, byte AddressShift)
{
    /// <summary>The header's size in bytes.</summary>
    public const int SizeInBytes = 8;

    /// <summary>The maximum number of bytes that follow a header: more than a writer makes of a section.</summary>
    public const int MaxBytes = 256 << 10;

    /// <summary>The smallest and the largest packed entry in bytes.</summary>
    public const int MinEntryBytes = 3, MaxEntryBytes = sizeof(ulong);

    /// <summary>The maximum number of an address's lowest bits that are left out.</summary>
    public const int MaxAddressShift = 7;

    /// <summary>The maximum number of a chain's entries: one for each tag.</summary>
    public const int MaxEntries = 1 << HashBits.TagBits;

    /// <summary>In the first byte of a chain: the chain has shared tags.</summary>
    public const byte SharedTags = 0x80;

    /// <summary>
    /// In the first byte of a chain, without <see cref="SharedTags"/>: the number of its entries, if it is less than
    /// this; otherwise the number follows in two bytes.
    /// </summary>
    public const byte ManyEntries = 0x7F;

    /// <summary>The position of the tag in a packed entry.</summary>
    public int TagShift => (EntryBytes * 8) - HashBits.TagBits;

    /// <summary>Whether the numbers are in their ranges.</summary>
    public bool IsSound =>
        Bytes is > 0 and <= MaxBytes && Chains > 0 && EntryBytes is >= MinEntryBytes and <= MaxEntryBytes
            && AddressShift <= MaxAddressShift;
}
