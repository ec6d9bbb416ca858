namespace Faster.Index;

/// <summary>
/// The bucket of an operation, and the pin that prevents the conversion of its chunk while the index is resized.
/// </summary>
/// <remarks>Valid until the operation leaves its epoch; unpinned before that.</remarks>
internal unsafe struct BucketRef
{
    /// <summary>The first bucket of the chain.</summary>
    public HashBucket* Bucket;

    /// <summary>The pinned chunk, or -1.</summary>
    public int Pin;
}
