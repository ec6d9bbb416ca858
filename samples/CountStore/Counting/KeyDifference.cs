namespace CountStore.Counting;

/// <summary>A key that a store and a plain dictionary counted differently.</summary>
/// <param name="Key">The key's bytes.</param>
/// <param name="Expected">The dictionary's count; 0 where it has no such key.</param>
/// <param name="Counted">The store's count; 0 where it has no such key.</param>
internal sealed record KeyDifference(byte[] Key, long Expected, long Counted);
