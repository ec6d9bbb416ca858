using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// Scans of the state as of a commit: <see cref="ScanOptions.AsOf"/> of <see cref="IStoreScans.ScanAsync"/>, and of
/// exports. Thread-safe.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommitScans : IStoreScans
{
    /// <summary>The commits whose state can be scanned, oldest first.</summary>
    IReadOnlyList<Commit> ScannableCommits { get; }
}
