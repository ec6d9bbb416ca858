using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Engines;
using Faster.Ycsb.Engines.Values;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Inside;

/// <summary>
/// Read-modify-writes over a hybrid log whose mutable region has some size (paper 000, §7.4.2 and §7.4.3).
/// </summary>
/// <param name="Keys">How many keys are loaded.</param>
/// <param name="Factor">The size of the mutable region, as a part of what is loaded.</param>
/// <param name="Distribution">How keys are drawn.</param>
/// <param name="Threads">How many threads work.</param>
internal sealed record RegionExperiment(int Keys, double Factor, KeyDistribution Distribution, int Threads)
{
    private const int RecordBytes = 24;
    private const int IndexBytesPerKey = 20;
    private const double WarmUpSeconds = 1;
    private static readonly ByteSize Page = ByteSize.KiB(256);
    private static readonly ByteSize Buffers = ByteSize.MiB(20);

    /// <summary>
    /// The memory for records, as a multiple of those that are loaded: so much that hardly any record leaves it before
    /// it is updated again, and so copied to the tail. The disk would decide otherwise.
    /// </summary>
    private const int MemoryFactor = 16;

    private long DataBytes => (long)Keys * RecordBytes;

    /// <summary>Runs once, in a folder that is removed afterwards.</summary>
    /// <exception cref="WrongAnswerException">An update was lost.</exception>
    public async Task<RegionResult> RunAsync(string? data, double seconds)
    {
        using DataFolder folder = DataFolder.Create(data);
        await using IEngine engine = await Values8.OpenEngineAsync(folder.Path, Options(), batchLength: 1);
        var store = (IStoreEngine)engine;
        AnswerCheck.Load(engine, Keys);
        YcsbWorkload workload = YcsbWorkload.Known("rmw");
        KeyStream[] streams = new KeyDraw(Keys, Distribution, workload.DrawnReads).Streams(Threads);
        StoreStatistics before = store.Statistics;
        var run = new CellRun(engine, workload, 0, null);
        run.Run(streams, WarmUpSeconds, seconds);
        StoreStatistics after = store.Statistics;
        AnswerCheck.CheckGrowth(engine, Keys, run.Done.Sum());
        double done = run.Done.Sum();
        return new RegionResult
        {
            Engine = StoreNames.Single,
            Workload = workload.Name,
            Distribution = EnumNames.Of(Distribution),
            Keys = Keys,
            Threads = Threads,
            OperationsPerSecond = run.OperationsPerSecond,
            MutableFactor = Math.Round((after.TailAddress - after.ReadOnlyAddress) / (double)DataBytes, 3),
            LogBytesPerSecond = (after.TailAddress - before.TailAddress) / done * run.OperationsPerSecond,
            FuzzyPercent = 100 * (after.FuzzyUpdates - before.FuzzyUpdates) / done,
            DiskPercent = 100 * (after.DiskReads - before.DiskReads) / done,
        };
    }

    private StoreOptions Options() => new()
    {
        MemoryBudget = new ByteSize((MemoryFactor * DataBytes) + ((long)Keys * IndexBytesPerKey) + Buffers.Bytes),
        ExpectedKeys = Keys,
        PageSize = Page,
        MutableFraction = Factor / MemoryFactor,
        ReadCacheFraction = 0,
        MaxPendingPerSession = ValueOptions.MaxPending,
        CommitOnDispose = false, // the folder is thrown away
    };
}
