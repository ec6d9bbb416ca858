namespace Faster.Workload.Engines;

/// <summary>What a store of ours says that it uses.</summary>
internal static class StoreMemory
{
    /// <summary>The bytes of records and index in memory.</summary>
    public static long Of(StoreStatistics statistics) => statistics.LogBytesInMemory + statistics.IndexBytes;
}
