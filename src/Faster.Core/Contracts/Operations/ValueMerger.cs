using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// Merges two deltas of a key, or a delta and a whole value, where there is no operation to do it: in compaction and in
/// scans. As <see cref="IMergeOperation.Merge"/>, plus the key, which an operation knows.
/// </summary>
/// <param name="key">The key's bytes.</param>
/// <param name="older">The bytes of the value that was started first.</param>
/// <param name="newer">The bytes of the other value.</param>
/// <param name="merged">An empty buffer for the merged bytes.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate void ValueMerger(
    ReadOnlySpan<byte> key, ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged);
