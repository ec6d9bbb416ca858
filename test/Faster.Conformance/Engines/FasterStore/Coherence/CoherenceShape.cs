using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Stores that are several times their memory, in pages of 4 KiB, so that all is on disk that is not hot.
/// </summary>
internal static class CoherenceShape
{
    private const long FirstFiller = 1_000_000_000;

    // An index of 1,024 buckets, which the fillers do not crowd: it keeps its size until it is resized on request. The
    // first halving and the first doubling can't be refused, for both tables fit into half of the memory.
    private const long FittingKeys = 5_376;
    private const int MostFillers = 3_000;

    /// <summary>How a store is opened.</summary>
    public static StoreOptions Options(bool cached, TimeProvider time) => new()
    {
        MemoryBudget = ByteSize.KiB(512),
        ExpectedKeys = FittingKeys,
        PageSize = ByteSize.KiB(4),
        SegmentSize = ByteSize.KiB(64),
        ReadCacheFraction = cached ? 0.75 : 0,
        TimeProvider = time,
    };

    /// <summary>What a session writes from now on lives for so many ticks, or for ever if 0.</summary>
    public static void LiveFor<TKey, TValue>(ISessionUnderTest<TKey, TValue> session, long ticks) =>
        ((IExpiringSession)session).TimeToLive = TickingTime.Tick * ticks;

    /// <summary>How many bulky records of their own keys there are beside those that are looked at.</summary>
    public static int Fillers<TKey, TValue>(Flavour<TKey, TValue> flavour)
        where TKey : notnull =>
        (int)Math.Min(3 * ByteSize.KiB(512).Bytes / flavour.BulkyRecordSize, MostFillers);

    /// <summary>How many bulky records fill more than a page, wherever they begin.</summary>
    public static int RecordsOfTwoPages<TKey, TValue>(Flavour<TKey, TValue> flavour)
        where TKey : notnull => 1 + (8192 / flavour.BulkyRecordSize);

    /// <summary>Writes bulky records, always of the same keys.</summary>
    /// <param name="session">The session.</param>
    /// <param name="flavour">What they look like.</param>
    /// <param name="from">The number of the first.</param>
    /// <param name="count">How many.</param>
    public static void Fill<TKey, TValue>(
        ISessionUnderTest<TKey, TValue> session, Flavour<TKey, TValue> flavour, int from, int count)
        where TKey : notnull
    {
        int all = Fillers(flavour);
        var keys = new TKey[count];
        var values = new TValue[count];
        for (int i = 0; i < count; i++)
        {
            keys[i] = flavour.Key(FirstFiller + ((from + i) % all));
            values[i] = flavour.Bulky(from + i);
        }

        session.UpsertBatch(keys, values);
    }

    /// <summary>Writes bulky records until the log up to now has left memory.</summary>
    public static async Task SpillAsync<TKey, TValue>(
        FasterStoreUnderTest<TKey, TValue> store, Flavour<TKey, TValue> flavour)
        where TKey : notnull
    {
        long until = store.Statistics.TailAddress;
        int all = Fillers(flavour), some = all / 8;
        await store.CommitAsync(CommitKind.FoldOver, false); // nothing is updated in place any more
        for (int from = 0; store.Statistics.HeadAddress < until; from += some)
        {
            if (from >= all)
            {
                await store.CommitAsync(CommitKind.FoldOver, false);
                from = 0;
            }

            store.Use(session => Fill(session, flavour, from, some));
        }
    }
}
