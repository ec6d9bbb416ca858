using System.Diagnostics;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines.Values;
using Microsoft.Win32.SafeHandles;

namespace Faster.Ycsb.Inside;

/// <summary>
/// Commits of a few records on a store at rest, each awaited before the next one's records are written, beside the
/// writes of 4 KiB with a sync that the disk can do meanwhile.
/// </summary>
internal static class SmallCommitExperiment
{
    /// <summary>The names of the disk's own writes: over what is there, and at the end of a file.</summary>
    public const string InPlace = "4 KiB in place, synced", Appended = "4 KiB appended, synced";

    /// <summary>The bytes of a value, and of a write of the disk's own.</summary>
    private const int ValueBytes = 400, BlockBytes = 4096;

    private const int Keys = 100_000, Warming = 50, BlocksInPlace = 256;

    /// <summary>How many records a commit has.</summary>
    public static IReadOnlyList<int> Sizes { get; } = [1, 10, 100, 1_000];

    /// <summary>Measures all of it once, in turns of one commit each.</summary>
    /// <param name="folder">An empty folder.</param>
    /// <param name="commits">How many commits of each size, and how many writes.</param>
    public static async Task<List<SmallCommitResult>> RunAsync(string folder, int commits)
    {
        Dictionary<(string Engine, string What, int Records), List<double>> times = [];
        await using SmallRecords.Store one = await SmallRecords.OpenAsync(Path.Combine(folder, "faster"));
        await using SmallRecords.TieredStore two = await SmallRecords.TieredStore.OpenAsync(
            Path.Combine(folder, "tiered"));
        await using SmallRecords.Session first = one.StartSession("client");
        await using SmallRecords.TieredSession second = two.StartSession("client");
        using SafeFileHandle file = File.OpenHandle(
            Path.Combine(folder, "blocks"), FileMode.Create, FileAccess.ReadWrite);
        byte[] value = new byte[ValueBytes], block = new byte[BlockBytes];
        for (int i = 0; i < BlocksInPlace; i++) RandomAccess.Write(file, block, (long)i * BlockBytes);
        Libc.SyncData(file);

        long key = 0;
        for (int round = -Warming; round < commits; round++)
        {
            int at = round;
            Add("machine", InPlace, 0, Stopwatch.GetTimestamp(), () => Write((round + Warming) % BlocksInPlace));
            Add("machine", Appended, 0, Stopwatch.GetTimestamp(), () => Write(BlocksInPlace + round + Warming));
            foreach (int size in Sizes)
            {
                for (int i = 0; i < size; i++) _ = first.Upsert(key++ % Keys, value);
                long start = Stopwatch.GetTimestamp();
                _ = await one.CommitAsync();
                Note("faster", "upsert", size, start);
                for (int i = 0; i < size; i++) _ = second.Upsert(key++ % Keys, value);
                start = Stopwatch.GetTimestamp();
                _ = await two.CommitAsync();
                Note("tiered", "upsert", size, start);
            }

            void Add(string engine, string what, int records, long start, Action act)
            {
                act();
                Note(engine, what, records, start);
            }

            void Note(string engine, string what, int records, long start)
            {
                double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
                if (at < 0) return;
                if (!times.TryGetValue((engine, what, records), out List<double>? all))
                    times[(engine, what, records)] = all = [];
                all.Add(seconds);
            }
        }

        return [.. times.Select(t => ResultOf(t.Key.Engine, t.Key.What, t.Key.Records, t.Value))];

        void Write(int index)
        {
            RandomAccess.Write(file, block, (long)index * BlockBytes);
            Libc.SyncData(file);
        }
    }

    private static SmallCommitResult ResultOf(string engine, string what, int records, List<double> seconds)
    {
        seconds.Sort();
        return new SmallCommitResult
        {
            Engine = engine, Workload = what, Distribution = "sequential", Keys = Keys, Threads = 1,
            OperationsPerSecond = 1 / At(0.5), Records = records, Commits = seconds.Count, P50 = At(0.5), P90 = At(0.9),
            P99 = At(0.99),
        };

        double At(double part) => seconds[(int)(part * (seconds.Count - 1))];
    }
}
