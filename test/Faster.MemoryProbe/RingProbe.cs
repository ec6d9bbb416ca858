namespace Faster.MemoryProbe;

/// <summary>What stores of the engine HotRing hold and leave behind.</summary>
internal static class RingProbe
{
    private const int Keys = 20_000, ManySteps = 30_000, FewSteps = 6_000, Sessions = 4;

    /// <summary>
    /// Work for stores that come and go and for one that stays, whose live data stay as many: insertions, deletions,
    /// updates of values of other lengths, sessions that start and end, scans, an index that grows.
    /// </summary>
    public static async Task UseAsync(int seed)
    {
        await using RingBlobs.Store store = await RingBlobs.OpenAsync(new HotRingOptions { Buckets = 16 });
        await ChurnAsync(store, seed, FewSteps);
        while (store.Statistics.IsRehashing) await Task.Yield(); // the first one may still be under way
        if (store.Statistics is not { Rehashes: > 0, LastFault: null })
            throw new InvalidOperationException($"It did not go as planned: {store.Statistics}");
    }

    /// <summary>Works on one store for long, and prints the memory of its records after each round.</summary>
    public static async Task<int> RunAsync(int rounds)
    {
        await using RingBlobs.Store store = await RingBlobs.OpenAsync(new HotRingOptions { Buckets = 16 });
        for (int round = 1; round <= rounds; round++)
        {
            await ChurnAsync(store, round, ManySteps);
            HotRingStatistics now = store.Statistics;
            Console.WriteLine(
                $"taken{round}={now.RecordMemory.Bytes} records{round}={now.Records} buckets{round}={now.Buckets}");
        }

        return store.Statistics.LastFault is null ? 0 : 1;
    }

    private static async Task ChurnAsync(RingBlobs.Store store, int seed, int steps)
    {
        await Task.WhenAll(
            Enumerable.Range(0, Sessions).Select(i => Task.Run(() => Churn(store, (seed * 31) + i, steps))));
        long records = 0;
        await foreach (RingBlobs.Record _ in store.ScanAsync()) records++;
        if (records > Keys) throw new InvalidOperationException($"{records} records of {Keys} keys");
    }

    private static void Churn(RingBlobs.Store store, int seed, int steps)
    {
        using RingBlobs.Session session = store.StartSession();
        var random = new Random(seed);
        byte[] value = new byte[400];
        for (int i = 0; i < steps; i++)
        {
            long key = random.Next(Keys);
            Status status = random.Next(3) switch
            {
                0 => session.Delete(key),
                1 => session.Read(key, out _),
                _ => session.Upsert(key, value.AsSpan(0, random.Next(value.Length))),
            };
            if (status == Status.Pending) throw new InvalidOperationException("An operation is pending.");
        }
    }
}
