using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Engines;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction.Large;

/// <summary>
/// A compaction of the log's oldest part under a controlled scheduler, by the copier that ships and in the order of
/// steps that ships.
/// </summary>
internal static class ScheduledLargeCompaction
{
    /// <summary>Compacts up to a page's start, and has the device forget what lies below and no reader holds.</summary>
    public static void CompactLarge<TShape>(this ScheduledStore<TShape> store, long until)
        where TShape : struct, IShape
    {
        FasterStore real = store.Host.Store;
        PagedLog log = store.Host.Log;
        TruncationSteps steps = store.Giving!;
        ScheduledWaits.Run(steps.ShiftReadOnlyAsync(until));
        var route = new CopyRoute(
            real.Tier, real.Tier, steps, new LivenessFilter(real.Tier.Storage!, TShape.Merges), static () => false);
        var copier = new LiveRecordCopier(route, DirectCopy.Of<HashEntries>(real.Tier, lookupBytes: 0));
        _ = copier.Run(log.BeginAddress, until, long.MaxValue);
        ScheduledWaits.Run(steps.RunAsync(until, store.Host.FlushedAsync));
        store.Host.Release();
    }
}
