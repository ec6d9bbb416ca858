namespace Faster.Ycsb.Engines.Native;

/// <summary>What all clients of a store of RocksDB share. Thread-safe.</summary>
/// <param name="Store">The store.</param>
/// <param name="ReadOptions">How they read.</param>
/// <param name="WriteOptions">How they write.</param>
/// <param name="ValueBytes">The size of each value.</param>
internal sealed record RocksHandles(nint Store, nint ReadOptions, nint WriteOptions, int ValueBytes)
{
    /// <summary>What serializes a read and the write after it.</summary>
    public Lock[] Locks { get; } = [.. Enumerable.Range(0, 1024).Select(_ => new Lock())];
}
