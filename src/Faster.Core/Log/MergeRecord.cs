using Faster.Index;

namespace Faster.Log;

/// <summary>
/// A record without key and value, at which a chain parts into the two that it was made of when the index shrank
/// (paper 000, App. B: the meta-record of two addresses; docs/formats/record.md).
/// </summary>
/// <remarks>
/// <para>The two chains belonged to the buckets 2b and 2b + 1 of the larger index, so a hash tells which of them may
/// have its key: a walk never has to follow both. It holds for ever, as the bucket of a hash at a given size does.
/// </para>
/// <para>It carries a hash of bucket b and of its tag, so that recovery finds its entry as it finds any record's. It
/// says nothing of any key, so it belongs to no version: commits and recoveries neither copy it nor leave it
/// out.</para>
/// </remarks>
internal static unsafe class MergeRecord
{
    /// <summary>The size in bytes.</summary>
    public const int Size = 32;

    private const int RightAt = 8;
    private const int HashAt = 16;
    private const int BucketCountAt = 24;

    /// <summary>Writes all but the header, whose previous address is the left chain.</summary>
    /// <param name="record">Where.</param>
    /// <param name="right">The chain of bucket 2b + 1.</param>
    /// <param name="hash">A hash of bucket b and of the tag of both chains.</param>
    /// <param name="bucketCount">How many buckets the larger index had.</param>
    public static void Write(byte* record, long right, ulong hash, long bucketCount)
    {
        *(long*)(record + RightAt) = right;
        *(ulong*)(record + HashAt) = hash;
        *(long*)(record + BucketCountAt) = bucketCount;
    }

    /// <summary>The chain of bucket 2b + 1 of the larger index.</summary>
    public static long Right(byte* record) => *(long*)(record + RightAt);

    /// <summary>Makes it lead elsewhere on the right; before others use the log.</summary>
    public static void SetRight(byte* record, long right) => *(long*)(record + RightAt) = right;

    /// <summary>A hash of the bucket and tag of the entry that leads to the record.</summary>
    public static ulong Hash(byte* record) => *(ulong*)(record + HashAt);

    /// <summary>How many buckets the larger index had.</summary>
    public static long BucketCount(byte* record) => *(long*)(record + BucketCountAt);

    /// <summary>Whether a header is one of these records.</summary>
    public static bool Is(ulong header) => (header & RecordHeader.Merge) != 0;

    /// <summary>The next older record of the chain of a hash, behind any record.</summary>
    /// <param name="record">The record, of whatever kind.</param>
    /// <param name="header">Its header.</param>
    /// <param name="hash">The hash of the key that is looked for.</param>
    public static long Next(byte* record, ulong header, ulong hash) =>
        Is(header) && (HashBits.BucketOf(hash, BucketCount(record)) & 1) != 0
            ? Right(record)
            : RecordHeader.Previous(header);
}
