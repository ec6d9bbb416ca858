namespace Faster.Checkpoints.Files;

/// <summary>What does not change of the index of a store's cold tier (docs/formats/store-metadata.md).</summary>
/// <param name="PageBits">The base-2 logarithm of the page size of the log of chunks.</param>
/// <param name="ChunkBytes">The size of a hash chunk in bytes.</param>
/// <param name="ChunkCount">The number of chunks.</param>
/// <param name="SegmentBytes">The size of one file of the log of chunks, in bytes.</param>
internal sealed record ColdIndexShape(int PageBits, int ChunkBytes, long ChunkCount, long SegmentBytes);
