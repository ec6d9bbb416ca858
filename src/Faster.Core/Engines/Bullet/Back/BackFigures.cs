namespace Faster.Engines.Bullet.Back;

/// <summary>How full the back is; not exact beside batches. Immutable.</summary>
/// <param name="Entries">The number of keys with a value.</param>
/// <param name="Tombstones">The number of entries of removed keys.</param>
/// <param name="Buckets">The number of buckets.</param>
/// <param name="HeapBytes">The size of all heaps.</param>
/// <param name="FreeBytes">How much of that is in free runs of pages.</param>
internal readonly record struct BackFigures(
    long Entries, long Tombstones, long Buckets, long HeapBytes, long FreeBytes);
