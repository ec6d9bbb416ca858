using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A store that merges deltas: it calls <see cref="IMergeOperation.Merge"/> of operations and
/// <see cref="RecordSchema.Merger"/>, so that a read-modify-write need not read a record on disk.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IMergingStore;
