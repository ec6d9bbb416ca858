namespace Faster.Index.Resizing;

/// <summary>The two ways in which an index changes its size (paper 000, App. B).</summary>
internal enum ResizeKind
{
    /// <summary>The number of buckets doubles: each bucket is split in two.</summary>
    Split,

    /// <summary>The number of buckets is halved: each two adjacent buckets are joined into one.</summary>
    Join,
}
