using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A store whose state as of a commit can be scanned and exported while operations continue, by
/// <see cref="ScanOptions.AsOf"/>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommitScanStore
{
    /// <summary>The commits whose state can be scanned, oldest first.</summary>
    IReadOnlyList<Commit> ScannableCommits { get; }
}
