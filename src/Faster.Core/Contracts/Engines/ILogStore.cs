using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A store whose records lie in one log, in the order in which they were written, so that older versions of a key can
/// be read.
/// </summary>
/// <typeparam name="TAnalytics">The type of what reads the log.</typeparam>
/// <typeparam name="TScan">The type of a scan of the log.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILogStore<TAnalytics, TScan> : ISubscriptionStore<TAnalytics>
    where TAnalytics : class, ILogAnalytics
    where TScan : class, ILogScan
{
    /// <summary>Scans all records in the order of the log, including older versions and tombstones.</summary>
    /// <exception cref="NotSupportedException">The store was opened without a log.</exception>
    TScan ScanLog();
}
