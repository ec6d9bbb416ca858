using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store that writes all updates to one log, the tail of which can be followed.</summary>
/// <typeparam name="TAnalytics">The type of what follows it.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ISubscriptionStore<TAnalytics> : IScanStore<TAnalytics>
    where TAnalytics : class, ILogSubscriptions;
