using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A store whose live records can be scanned, and exported and imported by the members of <see cref="IStore"/>.
/// </summary>
/// <typeparam name="TRecord">The emitted record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IScanStore<TRecord> : IStore
{
    /// <summary>
    /// Scans the newest record of each key that is not deleted, or the records that the options select, while
    /// operations continue. A scan of a log keeps the disk space of what is truncated meanwhile until the enumeration
    /// ends.
    /// </summary>
    /// <param name="options">The records to scan; null for those that are live now.</param>
    /// <param name="cancellationToken">Cancels the scan.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="NotSupportedException">The engine cannot scan what the options select.</exception>
    /// <exception cref="FasterException">The state as of the commit cannot be reconstructed.</exception>
    /// <exception cref="DamagedDataException">A block on disk, or a snapshot, is damaged.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    IAsyncEnumerable<TRecord> ScanAsync(ScanOptions? options, CancellationToken cancellationToken);
}
