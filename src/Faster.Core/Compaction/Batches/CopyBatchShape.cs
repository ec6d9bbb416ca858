using Faster.Compaction.Lookups;
using Faster.Devices.Blocks;

namespace Faster.Compaction.Batches;

/// <summary>The parts of a <see cref="CopyBatch"/>'s memory, in bytes.</summary>
/// <param name="Reads">For reads of pages and of records, which take turns: some pages as they lie on a device.</param>
/// <param name="Lookups">For the table of look-ups that are put off; 0: none is.</param>
/// <param name="Records">For records that are gathered; at least what <see cref="CopyBatch.LeastFor"/> says.</param>
internal readonly record struct CopyBatchShape(long Reads, long Lookups, long Records)
{
    private const int MinPages = 3, PartForReads = 4, PartForLookups = 4;
    private const long MostForReads = 2 << 20; // a huge page

    /// <summary>All of them.</summary>
    public long Bytes => Reads + Lookups + Records;

    /// <summary>Divides memory; takes more than there is where a page would not fit.</summary>
    /// <param name="bytes">The memory.</param>
    /// <param name="pageBits">The binary logarithm of the size of the logs' pages.</param>
    public static CopyBatchShape For(long bytes, int pageBits)
    {
        long page = new BlockGeometry(pageBits).PageStride, least = CopyBatch.LeastFor(1L << pageBits);
        long reads = Math.Max(Math.Min(bytes / PartForReads, MostForReads) / page, MinPages) * page;
        long rest = bytes - reads, lookups = rest / PartForLookups & -sizeof(long);
        bool putsOff = reads >= SortedReads.MinBytes && lookups >= SortedReads.MinBytes && rest - lookups >= least;
        return putsOff
            ? new CopyBatchShape(reads, lookups, rest - lookups)
            : new CopyBatchShape(reads, 0, Math.Max(rest, least));
    }
}
