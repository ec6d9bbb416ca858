namespace Faster.Engines.Bullet.Back;

/// <summary>What a run of pages is used for.</summary>
internal enum SpanKind : byte
{
    /// <summary>No run begins here.</summary>
    None,

    /// <summary>Nothing.</summary>
    Free,

    /// <summary>Blocks of one size class.</summary>
    Blocks,

    /// <summary>One block.</summary>
    Large,

    /// <summary>Heads of buckets.</summary>
    Segment,
}
