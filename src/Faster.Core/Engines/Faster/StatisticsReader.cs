using Faster.Log;
using Faster.Stores;
using Faster.Tiers;

namespace Faster.Engines;

/// <summary>Reads a store's statistics from its components, one after another. Thread-safe.</summary>
internal static class StatisticsReader
{
    /// <summary>Returns the current statistics.</summary>
    public static StoreStatistics Read(FasterStore store, IndexSizer sizer, FaultLog faults)
    {
        RecordAllocator log = store.Log;
        return new StoreStatistics
        {
            BeginAddress = log.BeginAddress,
            HeadAddress = log.HeadAddress,
            ReadOnlyAddress = log.ReadOnlyAddress,
            TailAddress = log.TailAddress,
            LogBytesInMemory = log.BytesInMemory,
            LogBytesOnDisk = log.Splices ? 0 : Math.Max(log.HeadAddress - log.BeginAddress, 0),
            Compactions = store.Reclamation?.Figures.Runs ?? 0,
            RecordsCopied = store.Reclamation?.Figures.RecordsCopied ?? 0,
            BytesReclaimed = store.Reclamation?.Figures.BytesReclaimed ?? 0,
            DiskBudgetExceeded = store.Reclamation?.IsExceeded ?? false,
            IndexBytes = store.Index.Bytes,
            IndexBuckets = store.Index.BucketCount,
            IndexOverflowBuckets = store.Index.OverflowBuckets,
            IndexGrowths = sizer.Growths,
            IndexShrinks = sizer.Shrinks,
            IndexAtLimit = sizer.AtLimit,
            FuzzyUpdates = store.Core.FuzzyUpdates,
            DiskReads = store.Tier.Storage?.Reads ?? 0,
            BytesRead = store.Tier.Storage?.BytesRead ?? 0,
            ReadCacheBytes = store.Cache?.BytesInMemory ?? 0,
            ReadCacheHits = store.Cache?.Hits ?? 0,
            ReadCacheMisses = store.Cache?.Misses ?? 0,
            DeltasAppended = store.Tier.Merges.Appended,
            DeltasCollapsed = store.Tier.Merges.Collapsed,
            BytesWritten = store.Tier.Storage?.BytesWritten ?? 0,
            FaultCounts = faults.Counts,
            MemoryBytes = log.BytesInMemory + store.Index.Bytes + (store.Cache?.BytesInMemory ?? 0),
            DiskBytes = store.Reclamation?.DiskBytes ?? 0,
        };
    }
}
