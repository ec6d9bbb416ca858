using System.Runtime.CompilerServices;
using Faster.Index;

namespace Faster.Checkpoints.Index;

/// <summary>
/// Puts the chains of a section of an index checkpoint into the table (docs/formats/index-checkpoint.md).
/// </summary>
/// <remarks>
/// <para>Invariants, whatever the bytes are:</para>
/// <list type="bullet">
/// <item>Nothing is written but the section's own chains, and no overflow bucket is taken that the section does not
/// fill.</item>
/// <item>An entry that could make a reader of the index fail is refused.</item>
/// </list>
/// <para>Thread-safe for different sections of a table that nothing else uses.</para>
/// </remarks>
/// <param name="table">The table.</param>
/// <param name="limit">Every address must be below this one.</param>
internal sealed unsafe class IndexSectionUnpacker(IndexTable table, long limit)
{
    /// <summary>The number of bytes behind a section that are read, but not used.</summary>
    public const int ReadsBeyond = sizeof(ulong);

    private const int Sound = -1;
    private const ulong Tag = EntryWord.TagMask >> EntryWord.TagShift;

    /// <summary>Unpacks the chains of a section.</summary>
    /// <param name="header">The section's header, of sound numbers.</param>
    /// <param name="section">What follows the header, and <see cref="ReadsBeyond"/> bytes more.</param>
    /// <param name="bucket">The empty bucket with which the section's first chain begins.</param>
    /// <returns>The offset in the section of a chain that can't be trusted; or -1.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Unpack(IndexSectionHeader header, byte* section, HashBucket* bucket)
    {
        var layout = new EntryLayout(header, (ulong)limit - 1);
        byte* at = section, end = section + header.Bytes;
        long linked = 0;
        for (HashBucket* last = bucket + header.Chains; bucket < last; bucket++)
        {
            byte* chain = at;
            int count = TakeHead(ref at, end, out bool sharesTags);
            if (count < 0 || (long)count * layout.Bytes > end - at) return (int)(chain - section);
            if (sharesTags)
            {
                bucket->Overflow = HashBucket.SharedTags;
                table.CountSharedTags();
            }

            HashBucket* fill = bucket;
            for (; count > HashBucket.EntryCount; count -= HashBucket.EntryCount, linked++)
            {
                if (!TakeEntries(layout, ref at, fill, HashBucket.EntryCount)) return (int)(chain - section);
                HashBucket* fresh = table.Pool.Take();
                fill->Overflow |= (ulong)fresh;
                fill = fresh;
            }

            if (!TakeEntries(layout, ref at, fill, count)) return (int)(chain - section);
        }

        table.CountLinked(linked);
        return at == end ? Sound : (int)(at - section);
    }

    // Returns the number of entries, or -1.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int TakeHead(ref byte* at, byte* end, out bool sharesTags)
    {
        sharesTags = false;
        if (at == end) return -1;
        byte head = *at++;
        sharesTags = (head & IndexSectionHeader.SharedTags) != 0;
        int count = head & IndexSectionHeader.ManyEntries;
        return count == IndexSectionHeader.ManyEntries ? TakeCount(ref at, end) : count;
    }

    private static int TakeCount(ref byte* at, byte* end)
    {
        if (end - at < sizeof(ushort)) return -1;
        int count = Unsafe.ReadUnaligned<ushort>(at);
        at += sizeof(ushort);
        return count is >= IndexSectionHeader.ManyEntries and <= IndexSectionHeader.MaxEntries ? count : -1;
    }

    // Returns false if an entry is unsound. Writes through a plain pointer: for a bucket's field, the compiler reads
    // the bucket first, and memory that is read before it is written costs two page faults.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TakeEntries(in EntryLayout layout, ref byte* at, HashBucket* bucket, int count)
    {
        bool sound = true;
        var slot = (ulong*)bucket;
        for (ulong* last = slot + count; slot < last; slot++, at += layout.Bytes)
        {
            ulong packed = Unsafe.ReadUnaligned<ulong>(at);
            ulong address = (packed & layout.Address) << layout.AddressShift;
            sound &= address - 1 < layout.MostAddress;
            *slot = (((packed >> layout.TagShift) & Tag) << EntryWord.TagShift) | address;
        }

        return sound;
    }

    private readonly struct EntryLayout(IndexSectionHeader header, ulong mostAddress)
    {
        public readonly int Bytes = header.EntryBytes, TagShift = header.TagShift, AddressShift = header.AddressShift;
        public readonly ulong Address = (1UL << header.TagShift) - 1, MostAddress = mostAddress;
    }
}
