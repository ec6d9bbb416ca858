using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store of which older records of a key can be read.</summary>
/// <typeparam name="TAnalytics">The type of what reads them.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IHistoryStore<TAnalytics> : IScanStore<TAnalytics>
    where TAnalytics : class, IKeyHistories;
