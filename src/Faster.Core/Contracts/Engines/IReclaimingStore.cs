using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store whose log is truncated and compacted by address.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IReclaimingStore
{
    /// <summary>Discards all records below an address.</summary>
    /// <param name="untilAddress">The new begin address, rounded down to the start of a page.</param>
    /// <param name="cancellationToken">Cancels the wait, not the truncation.</param>
    /// <exception cref="ArgumentOutOfRangeException">The address is above the tail.</exception>
    /// <exception cref="StorageException">The log cannot be written; nothing is truncated.</exception>
    Task TruncateAsync(long untilAddress, CancellationToken cancellationToken);

    /// <summary>Discards the log's oldest pages whose records were last changed longer ago than a given age.</summary>
    /// <param name="age">The minimum age of the discarded records.</param>
    /// <param name="cancellationToken">Cancels the wait, not the truncation.</param>
    /// <returns>The new begin address of the log.</returns>
    /// <exception cref="StorageException">The log cannot be written; nothing is truncated.</exception>
    Task<long> TruncateOlderThanAsync(TimeSpan age, CancellationToken cancellationToken);

    /// <summary>Copies the live records below an address to the tail, and truncates the log there.</summary>
    /// <param name="untilAddress">The address, rounded down to the start of a page; at most the tail.</param>
    /// <param name="cancellationToken">Cancels the wait, not the compaction.</param>
    /// <exception cref="FasterException">The log cannot be read or written; no record is lost.</exception>
    Task<CompactionResult> CompactAsync(long untilAddress, CancellationToken cancellationToken);
}
