namespace Faster.Log.Records;

/// <summary>Determines which of two buckets a record goes to when the bucket that held it is split.</summary>
/// <remarks>
/// A chain whose end is on disk stays shared by both sides, so a later split may meet records of neither side; they
/// belong to a sibling that reaches them by its own chain. Immutable.
/// </remarks>
/// <param name="NewBucketCount">The number of buckets of the doubled index.</param>
/// <param name="LeftBucket">The left one of the two buckets; the right one follows it.</param>
internal readonly record struct SplitRule(long NewBucketCount, long LeftBucket)
{
    /// <summary>A hash of the bucket that is split.</summary>
    public ulong AnyHash => HashBits.HashOf(LeftBucket, NewBucketCount, tag: 0);

    /// <summary>Whether a record with this hash goes to the left bucket.</summary>
    public bool IsLeft(ulong hash) => HashBits.BucketOf(hash, NewBucketCount) == LeftBucket;

    /// <summary>Whether a record with this hash goes to the right bucket.</summary>
    public bool IsRight(ulong hash) => HashBits.BucketOf(hash, NewBucketCount) == LeftBucket + 1;
}
