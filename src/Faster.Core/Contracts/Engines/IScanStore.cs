using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store whose live records can be scanned, exported and imported.</summary>
/// <typeparam name="TAnalytics">The type of what does it.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IScanStore<TAnalytics>
    where TAnalytics : class, IStoreScans
{
    /// <summary>Scans, export and import.</summary>
    TAnalytics Analytics { get; }
}
