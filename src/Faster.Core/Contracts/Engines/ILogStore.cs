using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store whose records lie in one log, in the order in which they were written.</summary>
/// <typeparam name="TRecord">The emitted record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILogStore<TRecord>
{
    /// <summary>
    /// Reads all records of the log from oldest to newest, including superseded ones and tombstones. Keeps the disk
    /// space of what is truncated meanwhile until the enumeration ends.
    /// </summary>
    /// <exception cref="NotSupportedException">The store is in memory only: its records have no order.</exception>
    IEnumerable<TRecord> Scan();
}
