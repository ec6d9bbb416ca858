namespace Faster.OperationLogs;

/// <summary>Where a scan of one log may begin. Immutable.</summary>
/// <param name="Position">The position: bytes since the log was made, which never repeats.</param>
/// <param name="Checksum">The checksum of the record before it; 0 at the log's beginning.</param>
internal readonly record struct LogMark(long Position, uint Checksum);
