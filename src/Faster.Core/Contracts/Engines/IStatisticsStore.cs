using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store that counts what it does.</summary>
/// <typeparam name="TStatistics">The type of the figures, which the engine chooses.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IStatisticsStore<TStatistics>
{
    /// <summary>A snapshot of the store's counters and sizes.</summary>
    TStatistics Statistics { get; }
}
