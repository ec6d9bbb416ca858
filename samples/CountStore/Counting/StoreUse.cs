using Faster;

namespace CountStore.Counting;

/// <summary>What a counter holds where, and what it read back from disk.</summary>
/// <param name="IndexBytes">The index in memory; of two tiers, the hot index and the directory of the cold one.</param>
/// <param name="LogBytesInMemory">The part of the log in memory; of two tiers, of the hot log.</param>
/// <param name="LogBytesOnDisk">
/// The part of the log on disk; of two tiers, that of the hot log, and all of the cold log and the cold index.
/// </param>
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
    private const int BytesOfAChunk = 8; // of the directory, which is in memory

    /// <summary>A store's use.</summary>
    public static StoreUse Of(EngineStatistics statistics) => statistics is TieredStatistics tiered
        ? Of(tiered)
        : Of((StoreStatistics)statistics);

    private static StoreUse Of(StoreStatistics statistics) => new(
        statistics.IndexBytes,
        statistics.LogBytesInMemory,
        statistics.LogBytesOnDisk,
        statistics.DiskReads,
        statistics.BytesRead,
        statistics.BytesWritten);

    private static StoreUse Of(TieredStatistics statistics) => new(
        statistics.HotIndexBytes + (statistics.ColdChunks * BytesOfAChunk),
        statistics.HotBytesInMemory,
        statistics.HotLogBytes - statistics.HotBytesInMemory + statistics.ColdLogBytes + statistics.ColdIndexLogBytes,
        statistics.DiskReads,
        statistics.BytesRead,
        statistics.BytesWritten);
}
