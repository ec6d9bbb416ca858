namespace Faster.Index;

/// <summary>
/// A bucket that an operation works on, and the pin that holds its chunk in place while the index is resized.
/// </summary>
/// <remarks>Good until the operation leaves its epoch; unpinned before that.</remarks>
internal unsafe struct BucketRef
{
    /// <summary>The first bucket of the chain.</summary>
    public HashBucket* Bucket;

    /// <summary>The chunk that is pinned, or -1.</summary>
    public int Pin;
}
