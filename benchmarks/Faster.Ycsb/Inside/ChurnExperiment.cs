using System.Diagnostics;
using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines.Tiered;
using Faster.Ycsb.Engines.Values;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Inside;

/// <summary>Blind updates of a store that compacts itself to keep to its disk budget.</summary>
/// <param name="IsTiered">Whether the store has two tiers.</param>
/// <param name="Keys">How many keys are loaded, with values of 100 bytes.</param>
/// <param name="MemoryBytes">The memory of the store.</param>
/// <param name="DiskBytes">What its log, or both logs and the cold index, may take on disk.</param>
/// <param name="Distribution">How keys are drawn.</param>
/// <param name="Threads">How many threads work.</param>
internal sealed record ChurnExperiment(
    bool IsTiered, int Keys, long MemoryBytes, long DiskBytes, KeyDistribution Distribution, int Threads)
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
        await using IEngine engine = IsTiered
            ? await Values100.OpenEngineAsync(folder.Path, TieredOptions(), batchLength: 1)
            : await Values100.OpenEngineAsync(folder.Path, Options(), batchLength: 1);
        AnswerCheck.Load(engine, Keys);
        YcsbWorkload workload = YcsbWorkload.Known("upsert");
        KeyStream[] streams = new KeyDraw(Keys, Distribution, workload.DrawnReads).Streams(Threads);
        WorkThread[] threads =
        [
            .. streams.Select(s => new WorkThread(
                engine, (worker, keys) => worker.Upsert(keys, AnswerCheck.Updated), s)),
        ];
        long copied = CopiedBy(engine);
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
        return ResultOf(samples, CopiedBy(engine) - copied, IOCounters.BytesWritten() - io?.ProcessWritten);
    }

    private ChurnResult ResultOf(
        List<(double Seconds, long Done, long Disk, long? Resident)> samples, long copied, long? written)
    {
        double done = samples[^1].Done;
        return new ChurnResult
        {
            Engine = IsTiered ? StoreNames.Tiered : StoreNames.Single,
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
            CopiedPerUpdate = Math.Round(copied / done, 3),
            Seconds = [.. samples.Select(s => Math.Round(s.Seconds, 3))],
            BinPerSecond = [.. samples.Select((s, i) => i == 0
                ? s.Done / s.Seconds
                : (s.Done - samples[i - 1].Done) / (s.Seconds - samples[i - 1].Seconds))],
            DiskBytes = [.. samples.Select(s => s.Disk)],
            ResidentBytes = [.. samples.Where(s => s.Resident is not null).Select(s => s.Resident!.Value)],
        };
    }

    // Between tiers as well as within a log.
    private static long CopiedBy(IEngine engine) => engine is ITieredEngine tiered
        ? tiered.Statistics.RecordsMoved + tiered.Statistics.RecordsCopied
        : ((IStoreEngine)engine).Statistics.RecordsCopied;

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

    private TieredOptions TieredOptions() => new()
    {
        MemoryBudget = new ByteSize(MemoryBytes),
        DiskBudget = new ByteSize(DiskBytes),
        ExpectedColdKeys = Keys,
        CommitOnDispose = false, // the folder is thrown away
    };

    private StoreOptions Options() => new()
    {
        MemoryBudget = new ByteSize(MemoryBytes),
        DiskBudget = new ByteSize(DiskBytes),
        ExpectedKeys = Keys,
        MaxPendingPerSession = ValueOptions.MaxPending,
        CommitOnDispose = false, // the folder is thrown away
    };
}
