namespace Faster.Log.Records;

/// <summary>
/// A record without key and value at which a hash chain divides into the two chains that it was joined from when the
/// index shrank (paper 000, App. B: the meta-record of two addresses; docs/formats/record.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>It is never updated after it was linked, and belongs to no key and no version.</item>
/// <item>Both previous addresses lie below its own.</item>
/// <item>A walk follows one of the two chains, the same one whenever it comes here for the same hash.</item>
/// </list>
/// <para>The two chains belonged to the buckets 2b and 2b + 1 of the larger index, so a hash selects the one that may
/// contain its key: a walk never follows both. The selection never becomes invalid, because the bucket of a hash at a
/// given index size never changes.</para>
/// <para>The record carries a hash of bucket b and of its tag, so that recovery finds its entry as it finds any
/// record's. It says nothing about any key, so it belongs to no version: commits and recoveries neither copy nor
/// discard it.</para>
/// </remarks>
internal static unsafe class ChainJoinRecord
{
    /// <summary>The size in bytes.</summary>
    public const int Size = 32;

    private const int RightAt = 8;
    private const int HashAt = 16;
    private const int BucketCountAt = 24;

    /// <summary>Writes everything except the header, whose previous address is the left chain.</summary>
    /// <param name="record">The record's memory.</param>
    /// <param name="right">The chain of bucket 2b + 1.</param>
    /// <param name="hash">A hash of bucket b and of the tag of both chains.</param>
    /// <param name="bucketCount">The number of buckets of the larger index.</param>
    public static void Write(byte* record, long right, ulong hash, long bucketCount)
    {
        *(long*)(record + RightAt) = right;
        *(ulong*)(record + HashAt) = hash;
        *(long*)(record + BucketCountAt) = bucketCount;
    }

    /// <summary>The chain of bucket 2b + 1 of the larger index.</summary>
    public static long Right(byte* record) => *(long*)(record + RightAt);

    /// <summary>Redirects the right chain; only before other threads use the log.</summary>
    public static void SetRight(byte* record, long right) => *(long*)(record + RightAt) = right;

    /// <summary>A hash of the bucket and tag of the entry that leads to the record.</summary>
    public static ulong Hash(byte* record) => *(ulong*)(record + HashAt);

    /// <summary>The number of buckets of the larger index.</summary>
    public static long BucketCount(byte* record) => *(long*)(record + BucketCountAt);

    /// <summary>Whether a header belongs to a chain-join record.</summary>
    public static bool Is(ulong header) => (header & RecordHeader.ChainJoin) != 0;

    /// <summary>The address of the next older record in the chain of a hash.</summary>
    /// <param name="record">The record, of any kind.</param>
    /// <param name="header">Its header.</param>
    /// <param name="hash">The hash of the key that is searched.</param>
    public static long Next(byte* record, ulong header, ulong hash) =>
        Is(header) && (HashBits.BucketOf(hash, BucketCount(record)) & 1) != 0
            ? Right(record)
            : RecordHeader.Previous(header);
}
