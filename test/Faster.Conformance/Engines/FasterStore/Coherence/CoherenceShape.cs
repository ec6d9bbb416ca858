using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// Stores several times as large as their memory, in pages of 4 KiB, so that everything cold is on disk.
/// </summary>
internal static class CoherenceShape
{
    private const long FirstFiller = 1_000_000_000;

    // An index of 1,024 buckets, which the fillers do not crowd: it keeps its size until it is resized on request. The
    // first halving and the first doubling are never refused, because both tables fit into half of the memory.
    private const long FittingKeys = 5_376;
    private const int MaxFillers = 3_000;

    /// <summary>How a store is opened.</summary>
    public static StoreOptions Options(bool cached, TimeProvider time) => new()
    {
        MemoryBudget = ByteSize.KiB(512),
        ExpectedKeys = FittingKeys,
        PageSize = ByteSize.KiB(4),
        SegmentSize = ByteSize.KiB(64),
        ReadCacheFraction = cached ? 0.75 : 0,
        TimeProvider = time,
        CommitOnDispose = false, // what no commit covers is lost, as by a crash
    };

    /// <summary>Sets the time to live, in ticks, of what a session writes from now on; 0: it never expires.</summary>
    public static void LiveFor<TKey, TValue>(ISessionUnderTest<TKey, TValue> session, long ticks) =>
        ((IExpiringSession)session).TimeToLive = TickingTime.Tick * ticks;

    /// <summary>How many bulky records there are, under keys of their own, beside those that are checked.</summary>
    public static int Fillers<TKey, TValue>(Flavor<TKey, TValue> flavor)
        where TKey : notnull =>
        (int)Math.Min(3 * ByteSize.KiB(512).Bytes / flavor.BulkyRecordSize, MaxFillers);

    /// <summary>How many bulky records fill more than a page, wherever they begin.</summary>
    public static int RecordsOfTwoPages<TKey, TValue>(Flavor<TKey, TValue> flavor)
        where TKey : notnull => 1 + (8192 / flavor.BulkyRecordSize);

    /// <summary>Writes bulky records, always of the same keys.</summary>
    /// <param name="session">The session.</param>
    /// <param name="flavor">What they look like.</param>
    /// <param name="from">The number of the first.</param>
    /// <param name="count">How many.</param>
    public static void Fill<TKey, TValue>(
        ISessionUnderTest<TKey, TValue> session, Flavor<TKey, TValue> flavor, int from, int count)
        where TKey : notnull
    {
        int all = Fillers(flavor);
        var keys = new TKey[count];
        var values = new TValue[count];
        for (int i = 0; i < count; i++)
        {
            keys[i] = flavor.Key(FirstFiller + ((from + i) % all));
            values[i] = flavor.Bulky(from + i);
        }

        session.UpsertBatch(keys, values);
    }

    /// <summary>Writes bulky records until the present log has left memory.</summary>
    public static async Task SpillAsync<TKey, TValue>(
        FasterStoreUnderTest<TKey, TValue> store, Flavor<TKey, TValue> flavor)
        where TKey : notnull
    {
        long until = store.Statistics.TailAddress;
        int all = Fillers(flavor), some = all / 8;
        await store.CommitAsync(CommitKind.FoldOver, false); // from here on nothing older is updated in place
        for (int from = 0; store.Statistics.HeadAddress < until; from += some)
        {
            if (from >= all)
            {
                await store.CommitAsync(CommitKind.FoldOver, false);
                from = 0;
            }

            store.Use(session => Fill(session, flavor, from, some));
        }
    }
}
