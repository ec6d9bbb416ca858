using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.LogSessions;
using Faster.Tests.Analytics;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Merging;
using Faster.Tiers;

namespace Faster.Tests.Engines.Tiered.Merging;

/// <summary>Small tiered stores of long → long whose updates merge, and what tests do with them.</summary>
internal static class MergingTiers
{
    public static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 10_000,
        ReadCacheFraction = 0, CommitOnDispose = false,
    };

    public static ValueTask<TieredStore> OpenAsync(
        string? folder, TieredOptions options, RecordSchema? schema = null) =>
        TieredStore.OpenAsync(folder, options, schema ?? MergingOperations.Schema, CancellationToken.None);

    /// <summary>One random operation: mostly an update that merges.</summary>
    public static void Step(TieredSession session, SortedDictionary<long, long?> model, Random random, int keys)
    {
        long key = random.Next(keys), value = random.Next(1, 1000);
        switch (random.Next(20))
        {
            case 0 or 1:
                _ = session.Remove(key);
                model.Remove(key);
                break;
            case < 4:
                session.Put(key, value);
                model[key] = value;
                break;
            case < 7:
                Assert.Equal(model.TryGetValue(key, out long? expected) ? expected : null, session.Total(key));
                break;
            default:
                _ = session.Merge(key, value);
                model[key] = (model.TryGetValue(key, out long? old) ? old : 0) + value;
                break;
        }
    }

    /// <summary>What a scan gives, which must have each key once.</summary>
    public static async Task<SortedDictionary<long, long?>> LiveAsync(
        this TieredStore store, ScanOptions? options = null)
    {
        var live = new SortedDictionary<long, long?>();
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, AnalyticsStores.Pair))
            live.Add(key, value);
        return live;
    }

    public static void AssertTotals(TieredSession session, SortedDictionary<long, long?> model, int keys)
    {
        foreach ((long key, long? value) in session.Totals(Numbers(keys)))
            Assert.Equal(model.TryGetValue(key, out long? expected) ? expected : null, value);
    }

    public static void AssertMoved(TieredStore store)
    {
        TieredStatistics now = store.Statistics;
        Assert.True(store.Hot.Log.BeginAddress > PagedLog.FirstAddress, "records have moved");
        Assert.True(now.DeltasAppended > 500 && now.DeltasCollapsed > 200 && now.RecordsMoved > 200, now.ToString());
        Assert.Null(now.LastFault);
    }

    /// <summary>Hot-cold compaction of so many tenths of the hot log.</summary>
    public static Task<CompactionResult> CompactHotAsync(TieredStore store, int tenths)
    {
        long begin = store.Hot.Log.BeginAddress, tail = store.Hot.Log.TailAddress;
        return store.CompactHotAsync(begin + ((tail - begin) * tenths / 10));
    }

    /// <summary>Sends all that a log has to disk.</summary>
    public static async Task SendToDiskAsync(TieredStore store, Tier tier)
    {
        PagedLog log = tier.PagedLog!;
        FillPage(store.Core.StartInternal("a test"), log);
        long end = log.PageStartOf(log.ShiftReadOnlyToTail());
        await log.Gate.WaitForAsync(() => log.SafeImmutableAddress >= end, CancellationToken.None);
        await tier.Flusher!.FlushedAsync(end);
        log.Evict(end);
        Assert.Equal(end, log.HeadAddress);
    }

    // In two parts: no record takes a whole page.
    private static unsafe void FillPage(LogSession session, PagedLog log)
    {
        long end = log.PageEndOf(log.TailAddress);
        session.Core.Epochs.Enter(session.Slot);
        while (log.TailAddress < end)
        {
            long space = Math.Min(end - log.TailAddress, log.PageSize / 2);
            Assert.True(log.TryAllocate(null, (int)space, out _));
        }

        session.Core.Epochs.Leave(session.Slot);
        session.Dispose();
    }

    public static IEnumerable<long> Numbers(int count) => Enumerable.Range(0, count).Select(static i => (long)i);
}
