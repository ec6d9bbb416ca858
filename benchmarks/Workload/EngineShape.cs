using System.Numerics;

namespace Faster.Workload;

/// <summary>What a store must hold.</summary>
/// <param name="Keys">How many keys there will be at most.</param>
/// <param name="ValueBytes">The size of each value.</param>
/// <param name="MemoryBytes">The memory for records, index, caches and buffers; null for as much as that needs.</param>
/// <param name="LimitBytes">The limit under which the process runs; null for none.</param>
internal sealed record EngineShape(long Keys, int ValueBytes, long? MemoryBytes, long? LimitBytes = null)
{
    /// <summary>
    /// How many keys share a bucket of 8 bytes of an index of fixed size, in engines that can be opened so; null for an
    /// index of the engine's own size.
    /// </summary>
    public int? KeysPerBucket { get; init; }

    /// <summary>
    /// After how many operations a session considers whether a hotspot has shifted, in engines that do (paper 002
    /// §3.2); null for the engine's default.
    /// </summary>
    public int? HotspotInterval { get; init; }

    /// <summary>The bytes of the buckets of such an index, a power of two; null for the engine's own size.</summary>
    public long? IndexBytes => KeysPerBucket is { } keys
        ? (long)BitOperations.RoundUpToPowerOf2((ulong)Math.Max(1, Keys / keys)) * sizeof(long)
        : null;

    /// <summary>
    /// The space on disk for an engine whose log would grow without end; null for no limit. Engines that reuse space by
    /// themselves take no notice of it.
    /// </summary>
    public long? DiskBytes { get; init; }

    /// <summary>
    /// How many threads compact the log, in engines that compact by several; 0 for the engine's default.
    /// </summary>
    public int CompactionThreads { get; init; }
}
