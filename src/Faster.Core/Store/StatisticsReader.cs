using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>Reads a store's figures off its parts, one after another. Thread-safe.</summary>
internal static class StatisticsReader<TProbe>
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan StallThreshold = TimeSpan.FromSeconds(1);

    /// <summary>The figures as they are now.</summary>
    public static StoreStatistics Read(FasterStore<TProbe> store, IndexSizer<TProbe> sizer, FaultLog faults)
    {
        RecordAllocator<TProbe> log = store.Log;
        return new StoreStatistics
        {
            BeginAddress = log.BeginAddress,
            HeadAddress = log.HeadAddress,
            ReadOnlyAddress = log.ReadOnlyAddress,
            TailAddress = log.TailAddress,
            LogBytesInMemory = log.BytesInMemory,
            LogBytesOnDisk = log.Splices ? 0 : Math.Max(log.HeadAddress - log.BeginAddress, 0),
            DiskBytes = store.Garbage?.DiskBytes ?? 0,
            Compactions = store.Garbage?.Figures.Runs ?? 0,
            RecordsCopied = store.Garbage?.Figures.RecordsCopied ?? 0,
            BytesReclaimed = store.Garbage?.Figures.BytesReclaimed ?? 0,
            DiskBudgetExceeded = store.Garbage?.IsExceeded ?? false,
            IndexBytes = store.Index.Bytes,
            IndexBuckets = store.Index.BucketCount,
            IndexOverflowBuckets = store.Index.OverflowBuckets,
            IndexGrowths = sizer.Growths,
            IndexShrinks = sizer.Shrinks,
            IndexAtLimit = sizer.AtLimit,
            FuzzyUpdates = store.FuzzyUpdates,
            DiskReads = store.Storage?.Reads ?? 0,
            BytesRead = store.Storage?.BytesRead ?? 0,
            ReadCacheBytes = store.Cache?.BytesInMemory ?? 0,
            ReadCacheHits = store.Cache?.Hits ?? 0,
            ReadCacheMisses = store.Cache?.Misses ?? 0,
            DeltasAppended = store.Merges.Appended,
            DeltasCollapsed = store.Merges.Collapsed,
            BytesWritten = store.Storage?.BytesWritten ?? 0,
            Sessions = store.Sessions.Count,
            StalledBy = store.Epochs.LongestHolder(out TimeSpan held) is { } holder && held > StallThreshold
                ? holder
                : null,
            FaultCounts = faults.Counts,
            LastFault = faults.Last,
        };
    }
}
