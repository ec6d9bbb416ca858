using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store whose state as of a commit can be scanned and exported while operations continue.</summary>
/// <typeparam name="TAnalytics">The type of what does it.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ICommitScanStore<TAnalytics> : IScanStore<TAnalytics>
    where TAnalytics : class, ICommitScans;
