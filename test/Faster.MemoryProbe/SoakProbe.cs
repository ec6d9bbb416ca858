namespace Faster.MemoryProbe;

/// <summary>
/// One store that all is done to, again and again, while its live data stay as many: each round has updates, reads and
/// deletions by sessions that come and go, a commit of each kind, a compaction, and an index that grows and shrinks.
/// </summary>
internal sealed class SoakProbe(Blobs.Store store)
{
    private const int WarmUp = 8, Keys = 6_000, OperationsOfAStage = 6_000, LargeBytes = 40_000;

    private readonly Random _random = new(1);
    private readonly byte[] _value = new byte[LargeBytes];
    private long _operations, _commits, _growths;

    /// <summary>
    /// Prints a sample after each round, then samples of rounds with a leak in them, and at the end what was done.
    /// </summary>
    public static async Task<int> RunAsync(int rounds, int leakingRounds, string folder)
    {
        await using Blobs.Store store = await Blobs.OpenAsync(folder, new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(2), PageSize = ByteSize.KiB(16), SegmentSize = ByteSize.KiB(256),
            ExpectedKeys = Keys / 4,
        });
        var probe = new SoakProbe(store);
        for (int round = 0; round < WarmUp; round++) await probe.RoundAsync();
        await probe.RoundsAsync("sample", rounds, leak: null, folder);
        await probe.RoundsAsync("leaking", leakingRounds, new SeededLeak(folder), folder);
        StoreStatistics statistics = store.Statistics;
        Console.WriteLine($"operations={probe._operations} commits={probe._commits} growths={probe._growths} "
            + $"shrinks={statistics.IndexShrinks} reclaimed={statistics.BytesReclaimed} "
            + $"sessions={statistics.Sessions} reads={statistics.DiskReads} "
            + $"fault={statistics.LastFault?.Message ?? "none"}");
        return 0;
    }

    private async Task RoundsAsync(string kind, int count, SeededLeak? leak, string folder)
    {
        for (int round = 0; round < count; round++)
        {
            long before = _operations;
            await RoundAsync();
            leak?.After(_operations - before);
            // What is held by the last commits, which are two, is about the same before each sample.
            for (int i = 0; i < 2; i++) _ = await store.CommitAsync(CommitKind.FoldOver);
            Samples.Print(kind, _operations, folder);
        }
    }

    private async Task RoundAsync()
    {
        foreach (CommitKind kind in Enum.GetValues<CommitKind>())
        {
            string name = $"session {_commits}";
            using (Blobs.Session session = store.StartSession(name)) Work(session);
            using (Blobs.Session session = store.StartSession()) Work(session);
            _ = await store.CommitAsync(kind, withIndex: kind == CommitKind.Snapshot);
            _commits++;
            store.ForgetSession(name);
        }

        StoreStatistics now = store.Statistics;
        _ = await store.CompactAsync(now.BeginAddress + ((now.TailAddress - now.BeginAddress) * 3 / 4));
        try
        {
            await store.GrowIndexAsync();
            _growths++;
        }
        catch (LimitExceededException)
        {
            // It has grown by itself to all that the budget allows.
        }

        await store.ShrinkIndexAsync();
    }

    private void Work(Blobs.Session session)
    {
        Span<byte> key = stackalloc byte[20];
        key.Clear();
        for (int i = 0; i < OperationsOfAStage; i++)
        {
            BitConverter.TryWriteBytes(key, _random.Next(Keys));
            int length = i % 1_000 == 999 ? LargeBytes : _random.Next(8, 300);
            session.TimeToLive = _random.Next(10) == 0 ? TimeSpan.FromMilliseconds(50) : TimeSpan.Zero;
            Status status = _random.Next(10) switch
            {
                < 4 => session.Upsert(key, _value.AsSpan(0, length)),
                < 6 => session.Rmw(key, _value.AsSpan(0, length)),
                < 7 => session.Delete(key),
                _ => session.Read(key, out _),
            };
            if (status == Status.Pending && session.PendingCount >= 64) session.CompletePending(wait: true);
        }

        session.CompletePending(wait: true);
        _operations += OperationsOfAStage;
    }
}
