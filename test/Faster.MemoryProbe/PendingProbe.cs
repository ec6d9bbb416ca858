using System.Diagnostics;

namespace Faster.MemoryProbe;

/// <summary>
/// What a process takes while several sessions wait for many large values from disk at once, and what stays of it.
/// </summary>
internal static class PendingProbe
{
    private const int Megabytes = 64;

    /// <summary>Each session issues all its reads before it completes the first, in one of the three forms.</summary>
    public static async Task<int> RunAsync(string form, int sessions, int reads, int bytes, string folder)
    {
        await using Sizes.Store store = await Sizes.OpenAsync(
            folder, new StoreOptions { MemoryBudget = ByteSize.MiB(Megabytes), ReadCacheFraction = 0 });
        long empty = Resources.Resident();
        using (Sizes.Session session = store.StartSession()) Fill(session, reads, bytes);
        Sizes.Session[] open = [.. Enumerable.Range(0, sessions).Select(_ => store.StartSession())];
        long most = 0, sum = 0;
        using (new Timer(_ => most = Math.Max(most, Resources.Resident()), null, 0, 5))
        {
            long begun = Stopwatch.GetTimestamp();
            long[] sums = await Task.WhenAll(open.Select(session => Task.Run(() => form switch
            {
                "status" => Task.FromResult(ReadByStatus(session, reads)),
                "awaited" => ReadAwaitedAsync(session, reads),
                _ => Task.FromResult(ReadBatch(session, reads)),
            })));
            sum = sums.Sum();
            Console.Write($"milliseconds={Stopwatch.GetElapsedTime(begun).TotalMilliseconds:0} ");
        }

        Resources.Settle();
        Console.WriteLine(
            $"growth={most - empty} stays={Resources.Resident() - empty} heap={GC.GetTotalMemory(true)} "
            + $"budget={(long)Megabytes << 20} missing={((long)sessions * reads * bytes) - sum} "
            + $"reads={store.Statistics.DiskReads}");
        foreach (Sizes.Session session in open) session.Dispose();
        return 0;
    }

    private static void Fill(Sizes.Session session, int count, int bytes)
    {
        byte[] value = new byte[bytes];
        new Random(1).NextBytes(value);
        for (long key = 0; key < count; key++) _ = session.Upsert(key, value);
        // What the reads want is on disk: as much again is in memory.
        for (long key = count; (key - count) * bytes < (long)Megabytes << 20; key++) _ = session.Upsert(key, value);
    }

    private static long ReadByStatus(Sizes.Session session, int count)
    {
        var sum = new Sizes.Sum();
        for (long key = 0; key < count; key++)
        {
            if (session.Read(key, out long length, sum) == Status.Ok) sum.Total += length;
        }

        session.CompletePending(wait: true);
        return sum.Total;
    }

    private static async Task<long> ReadAwaitedAsync(Sizes.Session session, int count)
    {
        var waiting = new List<Task<ReadResult<long>>>();
        for (long key = 0; key < count; key++) waiting.Add(session.ReadAsync(key).AsTask());
        long sum = 0;
        foreach (Task<ReadResult<long>> read in waiting) sum += (await read).Value;
        return sum;
    }

    private static long ReadBatch(Sizes.Session session, int count)
    {
        long[] keys = [.. Enumerable.Range(0, count).Select(key => (long)key)];
        var results = new ReadResult<long>[count];
        session.Read(keys, results);
        return results.Sum(result => result.Value);
    }
}
