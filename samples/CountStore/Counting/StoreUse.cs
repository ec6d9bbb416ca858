using Faster;

namespace CountStore.Counting;

/// <summary>What a counter holds where, and what it read back from disk.</summary>
/// <param name="IndexBytes">The index in memory.</param>
/// <param name="LogBytesInMemory">The part of the log in memory.</param>
/// <param name="LogBytesOnDisk">The part of the log on disk.</param>
/// <param name="RecordsReadFromDisk">How many records were read back.</param>
/// <param name="BytesReadFromDisk">How many bytes were read back.</param>
/// <param name="BytesWrittenToDisk">How many bytes were written.</param>
internal readonly record struct StoreUse(
    long IndexBytes,
    long LogBytesInMemory,
    long LogBytesOnDisk,
    long RecordsReadFromDisk,
    long BytesReadFromDisk,
    long BytesWrittenToDisk)
{
    /// <summary>A store's use.</summary>
    public static StoreUse Of(StoreStatistics statistics) => new(
        statistics.IndexBytes,
        statistics.LogBytesInMemory,
        statistics.LogBytesOnDisk,
        statistics.DiskReads,
        statistics.BytesRead,
        statistics.BytesWritten);
}
