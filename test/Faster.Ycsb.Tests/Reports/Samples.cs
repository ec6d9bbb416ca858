using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Tests.Reports;

/// <summary>Reports with known figures.</summary>
internal static class Samples
{
    public static Report Commits() => ReportOf("commit",
    [
        Commit("faster", 0, 0.1), Commit("faster", 0, 0.4), Commit("faster", 0, 0.2),
        Commit("faster-csharp", 0, 0.8),
        Commit("faster", 2, 0.5) with
        {
            OperationsPerSecond = 8e6, BeforePerSecond = 1e7, WorstPerSecond = 6e6, LongestGapSeconds = 0.012,
        },
        Recovery("faster", 0.3), Recovery("faster-csharp", 1.8),
    ]);

    public static Report Timelines() => ReportOf(
        "timeline",
        [
            Timeline("50:50", "uniform"), Timeline("50:50", "zipf"), Timeline("0:100", "uniform"),
            Timeline("0:100", "zipf"),
        ]);

    public static Report Buffers() => ReportOf(
        "buffer",
        [
            Buffer(1 << 21, "uniform", 1.5), Buffer(1 << 15, "uniform", 0.02), Buffer(1 << 15, "zipf", 0.02),
        ]);

    public static Report Rests() => ReportOf(
        "rest", [Rest(RestTable.Base, 1e7), Rest(RestTable.Candidate, 1.1e7)]);

    public static Report Runs() => ReportOf(
        "compare",
        [
            Run("faster", 1, 9e6), Run("dictionary", 1, 3e6), Run("faster", 2, 8e6), Run("dictionary", 2, 2e6),
            Run("faster", 3, 1e7), Run("dictionary", 3, 1e6),
        ]);

    public static Report Sweeps() => ReportOf(
        "sweep",
        [.. new[] { 4.0, 1, 2 }.Select(t => Run("faster", 1, t * 1e6) with { Sweep = new SweepPoint("threads", t) })]);

    public static Report Limits() => ReportOf(
        "limits",
        [
            Limit("two-step-read", 64, 1, 4e7, huge: true), Limit("two-step-read", 64, 1, 3e7, huge: false),
            Limit("disk-read", 4096, 32, 7e4, huge: null),
        ]);

    public static Report Regions() => ReportOf(
        "regions", [Region("uniform", 2, 0.9, 4e6), Region("uniform", 2, 0.5, 2e6), Region("zipf", 2, 0.5, 3e6)]);

    public static Report Tags() => ReportOf("tags", [Tag(14, 8e6), Tag(1, 4e6), Tag(1, 6e6), Tag(1, 1e6)]);

    public static Report Slices() => ReportOf(
        "slices",
        [
            Slice("faster", "c", 0.5), Slice("bare", "c", 1), Slice("faster", "rmw", 0.75), Slice("bare", "rmw", 1),
        ]);

    public static Report Churns() => ReportOf("churn", [Churn("uniform", 1e6), Churn("zipf", 2e6)]);

    public static Report Compactions() => ReportOf(
        "compaction",
        [
            Compaction("lookup", 2), Compaction("lookup", 4), Compaction("lookup", 3), Compaction("scan", 8),
        ]);

    public static Report Simulations() => ReportOf(
        "simulate",
        [
            Simulation("hlog", 10, 0.5), Simulation("lru-1", 10, 0.6), Simulation("hlog", 5, 0.25),
            Simulation("lru-1", 5, 0.3),
        ]);

    public static Report Durable() => ReportOf(
        "durable",
        [
            Durable("faster-durable", "blocking:8", 4000, 1), Durable("rocksdb-sync", "blocking:8", 2000, 1),
            Durable("faster-durable", "blocking:8", 6000, 2), Durable("rocksdb-sync", "blocking:8", 2000, 2),
            Durable("rocksdb-sync", "blocking:512", 1000, 1) with { Asked = "awaited:8x64" },
        ]);

    public static Report Paced() => ReportOf("paced", [Paced(2, 1.75, 0.95), Paced(50, 12.5, 0.5)]);

    public static Report Replays() => ReportOf(
        "replay",
        [
            Replay("faster-durable", 64 << 20, 0.4, 1), Replay("faster-durable", 64 << 20, 0.2, 2),
            Replay("rocksdb-sync", 64 << 20, 0.5, 1), Replay("faster-durable", 16 << 20, 0.1, 1),
        ]);

    private static Report ReportOf(string command, IReadOnlyList<StepResult> measurements) => new()
    {
        Schema = Report.CurrentSchema,
        Command = command,
        Arguments = [command, "--runs", "3"],
        Started = new DateTimeOffset(2026, 11, 21, 8, 0, 0, TimeSpan.Zero),
        Machine = new Machine("a processor", 2, 1L << 34, "a system", "a runtime"),
        Measurements = measurements,
    };

    private static CommitResult Commit(string engine, int threads, double seconds) => new()
    {
        Engine = engine, Workload = "50:50", Distribution = "uniform", Keys = 1000, Threads = threads,
        OperationsPerSecond = 0, Kind = "fold-over", CommitSeconds = seconds, BytesWritten = 1 << 20,
    };

    private static RecoveryResult Recovery(string engine, double seconds) => new()
    {
        Engine = engine, Workload = "50:50", Distribution = "uniform", Keys = 1000, Threads = 0,
        OperationsPerSecond = 0, Kind = "fold-over", CommitThreads = 0, RecoverySeconds = seconds,
    };

    private static TimelineResult Timeline(string workload, string distribution) => new()
    {
        Engine = "faster", Workload = workload, Distribution = distribution, Keys = 1000, Threads = 2,
        OperationsPerSecond = 4e6, Kind = "fold-over", Commits = [new CommitSpan(0.1, 0.15)], Seconds = [0.1, 0.2],
        BinPerSecond = [5e6, 2.5e6], LogBytes = [1 << 20, 2 << 20],
    };

    private static BufferResult Buffer(int bytes, string distribution, double interval) => new()
    {
        Engine = "faster", Workload = "50:50", Distribution = distribution, Keys = 1000, Threads = 2,
        OperationsPerSecond = 3e6, BufferBytes = bytes, Commits = 4, IntervalSeconds = interval, CommitSeconds = 0.01,
        BlockedFraction = 0.25,
    };

    private static RunResult Run(string engine, int run, double rate) => new()
    {
        Engine = engine, Workload = "a", Distribution = "zipf", Theta = 0.99, Keys = 1000, Threads = 2, Run = run,
        OperationsPerSecond = rate, ValueBytes = 8, LoadSeconds = 0.5, StoreBytesPerRecord = 40, Checked = 1000,
        Latency = new LatencyResult(100, 1, 1e-7, 2e-7, 3e-6, 4e-3, 5e-3),
        IO = new IOResult(1, 2, null, null, 512, 1.5),
    };

    private static LimitResult Limit(string name, int bytes, int depth, double rate, bool? huge) => new()
    {
        Engine = "machine", Workload = name, Distribution = "random", Keys = 1000, Threads = depth,
        OperationsPerSecond = rate, Bytes = bytes, Depth = depth, HugePages = huge,
    };

    private static SimulationResult Simulation(string rule, int held, double rate) => new()
    {
        Engine = rule, Workload = "access", Distribution = "zipf", Keys = 100, Threads = 0, OperationsPerSecond = 0,
        CacheKeys = held, Accesses = 1000, HitRate = rate,
    };

    private static RegionResult Region(string distribution, int threads, double factor, double rate) => new()
    {
        Engine = "faster", Workload = "rmw", Distribution = distribution, Keys = 100, Threads = threads,
        OperationsPerSecond = rate, MutableFactor = factor, LogBytesPerSecond = 3 << 20, FuzzyPercent = 0.25,
        DiskPercent = 0,
    };

    private static TagResult Tag(int bits, double rate) => new()
    {
        Engine = "faster", Workload = "a", Distribution = "uniform", Keys = 100, Threads = 2,
        OperationsPerSecond = rate, TagBits = bits,
    };

    private static SliceResult Slice(string engine, string workload, double ratio) => new()
    {
        Engine = engine, Workload = workload, Distribution = "uniform", Keys = 100, Threads = 1,
        OperationsPerSecond = ratio * 8e6, Yardstick = "bare", Slices = 20, Ratio = ratio, RatioP10 = ratio - 0.1,
        RatioP90 = ratio + 0.1,
    };

    private static ChurnResult Churn(string distribution, double rate) => new()
    {
        Engine = "faster", Workload = "upsert", Distribution = distribution, Keys = 100, Threads = 2,
        OperationsPerSecond = rate, ValueBytes = 100, MemoryBytes = 1 << 20, DiskBudgetBytes = 4 << 20,
        LiveBytes = 2 << 20, SpaceAmplification = 1.75, WriteAmplification = 1.5, CopiedPerUpdate = 0.25,
        Seconds = [0.25, 0.5], BinPerSecond = [rate, rate], DiskBytes = [1 << 20, 3 << 20],
        ResidentBytes = [8 << 20, 9 << 20],
    };

    private static CompactionRunResult Compaction(string method, double seconds) => new()
    {
        Engine = "faster-csharp", Workload = "compaction", Distribution = "uniform", Keys = 100, Threads = 1,
        OperationsPerSecond = 1e6, ValueBytes = 100, MemoryBytes = 1 << 20, Method = method, CompactedBytes = 12 << 20,
        CopiedBytes = 6 << 20, Seconds = seconds, PeakBytes = 3 << 20, BytesRead = 24 << 20, BytesWritten = 6 << 20,
    };

    private static DurableResult Durable(string engine, string form, double rate, int run) => new()
    {
        Engine = engine, Workload = "upsert", Distribution = "uniform", Keys = 100, Threads = 8,
        OperationsPerSecond = rate, Run = run, Form = form, Asked = form, Outstanding = 8,
        Latency = new LatencyResult(100, 1, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3), SyncsPerSecond = rate / 8,
        RecordsPerSync = 8, SyncGapSeconds = 25e-6, DeviceFlushesPerSecond = rate / 4, WriteAmplification = 5,
        DeviceWriteAmplification = 6, WorstPerSecond = rate / 2, Checked = 100, Seconds = [1, 2],
        BinPerSecond = [rate, rate],
    };

    private static PacedResult Paced(int asked, double written, double ratio) => new()
    {
        Engine = "faster-durable", Workload = "c", Distribution = "uniform", Keys = 100, Threads = 1,
        OperationsPerSecond = ratio * 8e6, Yardstick = "faster", YardstickPerSecond = 8e6, WritesPerSecond = 140_000,
        AskedPercent = asked, WrittenPercent = written, Ratio = ratio, RatioP10 = ratio - 0.25,
        RatioP90 = ratio + 0.25, Rounds = 20,
    };

    private static ReplayResult Replay(string engine, long bytes, double seconds, int run) => new()
    {
        Engine = engine, Workload = "upsert", Distribution = "uniform", Keys = 100, Threads = 0,
        OperationsPerSecond = 0, Run = run, WrittenBytes = bytes, RecoverySeconds = seconds, Checked = 100,
    };

    private static RestResult Rest(string build, double rate) => new()
    {
        Engine = "store", Workload = "read", Distribution = "uniform", Keys = 1000, Threads = 1,
        OperationsPerSecond = rate, Build = build,
    };
}
