using Faster.Compaction;
using Faster.Log;
using Faster.Tests.Scheduling;
using Faster.Tests.Store;

namespace Faster.Tests.Compaction;

/// <summary>
/// A compaction of the log's oldest part under a controlled scheduler, by the copier that ships and in the order of
/// steps that ships.
/// </summary>
internal static class ScheduledLargeCompaction
{
    /// <summary>Compacts up to a page's start, and has the device forget what lies below.</summary>
    public static void CompactLarge<TShape>(this ScheduledStore<TShape> store, long until)
        where TShape : struct, IShape
    {
        FasterStore<ScheduledProbe> real = store.Host.Store;
        PagedLog<ScheduledProbe> log = store.Host.Log;
        GivingUp<ScheduledProbe> giving = store.Giving!;
        ScheduledWaits.Run(giving.FreezeAsync(until));
        var copier = new LiveCopier<ScheduledProbe>(
            real, ScheduledStore<TShape>.Schema, log, real.Storage!,
            new RecordFate<ScheduledProbe>(real.Storage!, TShape.Merges), giving, static () => false);
        _ = copier.Run(log.BeginAddress, until);
        ScheduledWaits.Run(giving.RunAsync(until, store.Host.FlushedAsync));
        ScheduledWaits.Run(store.Host.Waits.UntilAsync(log.Pins.Gate, () => log.Pins.LowestPinned >= until));
        store.Host.Forget(until);
    }
}
