using System.Diagnostics;
using System.Globalization;

namespace Faster.MemoryProbe.Bounds;

/// <summary>
/// Fills a store of each engine with each kind of load, and compares what its files and its process take with the
/// budgets all the while (docs/testing/bounds.md).
/// </summary>
internal static class BoundsProbe
{
    private const int Writers = 2;
    private const long WarmUpMemory = 2 << 20, WarmUpDisk = 8 << 20;

    /// <summary>One engine under one load; prints one line of name=value pairs.</summary>
    /// <param name="engine">One of <see cref="BoundedStore.Engines"/>.</param>
    /// <param name="kind">The load.</param>
    /// <param name="memory">The memory budget in MiB.</param>
    /// <param name="disk">The disk budget in MiB.</param>
    /// <param name="times">How many times the budget is written.</param>
    /// <param name="overrun">
    /// 1; or by how much the store is opened with larger budgets than those that it is compared with: a fault that must
    /// be found.
    /// </param>
    /// <param name="folder">An empty folder.</param>
    public static async Task<int> RunAsync(
        string engine, LoadKind kind, int memory, int disk, double times, int overrun, string folder)
    {
        Directory.CreateDirectory(folder);
        bool merges = kind == LoadKind.Merge;
        string warmUp = Path.Combine(folder, "warm-up");
        await using (BoundedStore store =
            await BoundedStore.OpenAsync(engine, merges, WarmUpMemory, WarmUpDisk, warmUp))
        {
            Fill(store, kind, LiveOf(engine, kind, WarmUpMemory, WarmUpDisk), WarmUpDisk);
        }

        if (Directory.Exists(warmUp)) Directory.Delete(warmUp, recursive: true);
        Resources.Settle();
        var bounds = new Bounds(engine, (long)memory << 20, (long)disk << 20);
        (long memoryOpened, long diskOpened) = (bounds.Memory * overrun, bounds.Disk * overrun);
        await using BoundedStore opened =
            await BoundedStore.OpenAsync(engine, merges, memoryOpened, diskOpened, folder);
        var watch = new BoundsWatch(folder, bounds);
        long budget = BoundedStore.HasFiles(engine) ? diskOpened : memoryOpened, begun = Stopwatch.GetTimestamp();
        (long written, long refused) =
            Fill(opened, kind, LiveOf(engine, kind, memoryOpened, diskOpened), (long)(budget * times));
        watch.Dispose();
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"engine={engine} load={kind} logs={watch.MostLogs} disk={bounds.Disk} logsBound={bounds.MostLogs} "
            + $"others={watch.MostOthers} othersBound={bounds.MostOthers} growth={watch.MostGrowth} "
            + $"memory={bounds.Memory} growthBound={bounds.MostGrowth} managed={watch.MostManaged} "
            + $"above={watch.SamplesAbove} samples={watch.Samples} written={written} refused={refused} "
            + $"milliseconds={Stopwatch.GetElapsedTime(begun).TotalMilliseconds:0} "
            + $"exceeded={(opened.IsExceeded() ? 1 : 0)} fault={opened.LastFault()?.Message ?? "none"}"));
        return 0;
    }

    // Half of what the engine has for records; of a store in memory a quarter of all. Where updates merge, F2 keeps a
    // cold record beside the hot ones of its key: a third.
    private static long LiveOf(string engine, LoadKind kind, long memory, long disk)
    {
        if (!BoundedStore.HasFiles(engine)) return memory / 4;
        return kind == LoadKind.Merge && engine != "faster" ? disk / 3 : disk / 2;
    }

    private static (long Written, long Refused) Fill(BoundedStore store, LoadKind kind, long live, long bytes)
    {
        var sessions = new BoundedSession[Writers];
        Thread[] threads = [.. Enumerable.Range(0, Writers).Select(i => new Thread(() =>
        {
            using BoundedSession session = sessions[i] = store.Start();
            new Load(session, live / Writers, (long)i << 40, i).Run(kind, bytes / Writers);
        }))];
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();
        return (sessions.Sum(session => session.Written), sessions.Sum(session => session.Refused));
    }
}
