using System.Diagnostics;
using Faster.Engines;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines.Values;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Inside;

/// <summary>Blind updates of a store that compacts itself to keep to its disk budget.</summary>
/// <param name="Keys">How many keys are loaded, with values of 100 bytes.</param>
/// <param name="MemoryBytes">The memory of the store.</param>
/// <param name="DiskBytes">What its log may take on disk.</param>
/// <param name="Distribution">How keys are drawn.</param>
/// <param name="Threads">How many threads work.</param>
internal sealed record ChurnExperiment(
    int Keys, long MemoryBytes, long DiskBytes, KeyDistribution Distribution, int Threads)
{
    /// <summary>What a record takes: header, key, and the value rounded up to a multiple of 8.</summary>
    public const int RecordBytes = 120;

    private const int ValueBytes = 100;
    private static readonly TimeSpan Bin = TimeSpan.FromMilliseconds(250);

    private long LiveBytes => (long)Keys * RecordBytes;

    /// <summary>Runs once, in a folder that is removed afterwards.</summary>
    /// <exception cref="WrongAnswerException">A value is not the last one that was written.</exception>
    public async Task<ChurnResult> RunAsync(string? data, double seconds)
    {
        using DataFolder folder = DataFolder.Create(data);
        await using IEngine engine = await Values100.OpenEngineAsync(folder.Path, Options(), batchLength: 1);
        var store = (IStoreEngine)engine;
        AnswerCheck.Load(engine, Keys);
        YcsbWorkload workload = YcsbWorkload.Known("upsert");
        KeyStream[] streams = new KeyDraw(Keys, Distribution, workload.DrawnReads).Streams(Threads);
        WorkThread[] threads =
        [
            .. streams.Select(s => new WorkThread(
                engine, (worker, keys) => worker.Upsert(keys, AnswerCheck.Updated), s)),
        ];
        StoreStatistics before = store.Statistics;
        IOCounters? io = IOCounters.Now(null);
        var samples = new List<(double Seconds, long Done, long Disk, long? Resident)>();
        long start = Stopwatch.GetTimestamp();
        foreach (WorkThread thread in threads)
            thread.Start();
        while (samples.Count == 0 || samples[^1].Seconds < seconds)
        {
            await Task.Delay(Bin);
            samples.Add((Stopwatch.GetElapsedTime(start).TotalSeconds, threads.Sum(t => t.Done),
                BytesIn(folder.Path), ProcessMemory.ResidentNow()));
        }

        foreach (WorkThread thread in threads)
            thread.RequestStop();
        foreach (WorkThread thread in threads)
            thread.Join();
        AnswerCheck.CheckOneOfTwo(engine, Keys);
        return ResultOf(samples, before, store.Statistics, IOCounters.BytesWritten() - io?.ProcessWritten);
    }

    private ChurnResult ResultOf(
        List<(double Seconds, long Done, long Disk, long? Resident)> samples, StoreStatistics before,
        StoreStatistics after, long? written)
    {
        double done = samples[^1].Done;
        return new ChurnResult
        {
            Engine = StoreNames.Single,
            Workload = "upsert",
            Distribution = EnumNames.Of(Distribution),
            Keys = Keys,
            Threads = Threads,
            OperationsPerSecond = done / samples[^1].Seconds,
            ValueBytes = ValueBytes,
            MemoryBytes = MemoryBytes,
            DiskBudgetBytes = DiskBytes,
            LiveBytes = LiveBytes,
            SpaceAmplification = Math.Round((double)samples.Max(s => s.Disk) / LiveBytes, 3),
            WriteAmplification = written is { } bytes
                ? Math.Round(bytes / (done * (sizeof(long) + ValueBytes)), 3)
                : null,
            CopiedPerUpdate = Math.Round((after.RecordsCopied - before.RecordsCopied) / done, 3),
            Seconds = [.. samples.Select(s => Math.Round(s.Seconds, 3))],
            BinPerSecond = [.. samples.Select((s, i) => i == 0
                ? s.Done / s.Seconds
                : (s.Done - samples[i - 1].Done) / (s.Seconds - samples[i - 1].Seconds))],
            DiskBytes = [.. samples.Select(s => s.Disk)],
            ResidentBytes = [.. samples.Where(s => s.Resident is not null).Select(s => s.Resident!.Value)],
        };
    }

    // Files may go while they are counted.
    private static long BytesIn(string folder)
    {
        try
        {
            return new DirectoryInfo(folder).EnumerateFiles("*", SearchOption.AllDirectories).Sum(f => f.Length);
        }
        catch (FileNotFoundException)
        {
            return BytesIn(folder);
        }
    }

    private StoreOptions Options() => new()
    {
        MemoryBudget = new ByteSize(MemoryBytes),
        DiskBudget = new ByteSize(DiskBytes),
        ExpectedKeys = Keys,
        MaxPendingPerSession = ValueOptions.MaxPending,
        CommitOnDispose = false, // the folder is thrown away
    };
}
