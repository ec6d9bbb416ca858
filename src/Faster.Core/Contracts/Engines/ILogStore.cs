using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store whose records lie in one log, in the order in which they were written.</summary>
/// <typeparam name="TScan">The type of a scan of the log.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILogStore<TScan>
    where TScan : class, ILogScan
{
    /// <summary>Scans all records in the order of the log, including older versions and tombstones.</summary>
    /// <exception cref="NotSupportedException">The store was opened without a log.</exception>
    TScan ScanLog();
}
