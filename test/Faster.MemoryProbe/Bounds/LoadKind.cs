namespace Faster.MemoryProbe.Bounds;

/// <summary>What a store is filled with.</summary>
internal enum LoadKind
{
    /// <summary>New keys, until the store is as full as the other loads keep it.</summary>
    NewKeys,

    /// <summary>Updates of uniformly random keys.</summary>
    Uniform,

    /// <summary>Updates of which most are of few keys.</summary>
    Skewed,

    /// <summary>The oldest key is deleted, and a new one inserted, again and again.</summary>
    Churn,

    /// <summary>All values are written again and again, longer each time.</summary>
    Growing,

    /// <summary>Values of which most of the bytes are in those larger than a page.</summary>
    Large,

    /// <summary>New keys that expire, as fast as the store can hold them.</summary>
    Expiring,

    /// <summary>Read-modify-writes that merge.</summary>
    Merge,

    /// <summary>All of the above, one after another, without those that need a store of their own.</summary>
    Mixed,
}
