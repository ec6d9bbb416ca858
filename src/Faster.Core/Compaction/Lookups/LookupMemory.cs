using Faster.Opening;

namespace Faster.Compaction.Lookups;

/// <summary>The memory of look-ups that are put off. Their user owns it.</summary>
/// <param name="reads">Where records are read, at the start of a system page.</param>
/// <param name="readBytes">Its size; at least <see cref="SortedReads.MinBytes"/>.</param>
/// <param name="table">The table's, at a multiple of 8.</param>
/// <param name="tableBytes">Its size.</param>
internal readonly unsafe struct LookupMemory(byte* reads, long readBytes, byte* table, long tableBytes)
{
    /// <summary>The smallest number of bytes that suffice for both.</summary>
    public const long MinBytes = MemoryPlan.MinLookupBytes;

    private const int PartForReads = 4;

    /// <summary>Where records are read.</summary>
    public byte* Reads => reads;

    /// <summary>Its size in bytes.</summary>
    public long ReadBytes => readBytes;

    /// <summary>The memory of the table.</summary>
    public byte* Table => table;

    /// <summary>Its size in bytes.</summary>
    public long TableBytes => tableBytes;

    /// <summary>Divides a block.</summary>
    /// <param name="block">The block, at the start of a system page.</param>
    /// <param name="bytes">Its size; at least <see cref="MinBytes"/>.</param>
    public static LookupMemory Of(byte* block, long bytes)
    {
        long reads = Math.Min(bytes / PartForReads, SortedReads.MaxBytes) & -sizeof(long);
        return new LookupMemory(block, reads, block + reads, bytes - reads);
    }
}
