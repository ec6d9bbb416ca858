namespace Faster.Contracts;

/// <summary>
/// Merges two partial values of a key where no operation of the user's does: in compaction and in scans. As <see
/// cref="IMergeOperation.Merge"/>, but for the key, which an operation knows.
/// </summary>
/// <param name="key">The key's bytes.</param>
/// <param name="older">The bytes of the value that was begun first.</param>
/// <param name="newer">The bytes of the other one.</param>
/// <param name="merged">An empty buffer for the bytes of both together.</param>
public delegate void ValueMerger(
    ReadOnlySpan<byte> key, ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged);
