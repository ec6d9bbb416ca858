using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Tests.Cells;

namespace Faster.Ycsb.Tests.Engines;

/// <summary>Every engine does every workload, and every value is checked after each.</summary>
public class EngineTests
{
    private static readonly string[] Workloads = ["c", "a", "f", "upsert", "rmw"];
    private static readonly string[] Reads = ["absent", "dependent"];

    public static TheoryData<string, int, int> Own => new()
    {
        { "faster", 8, 0 },
        { "faster", 100, 0 },
        { "faster", 8, 1 },
        { "faster", 32, 1 },
        { "faster", 100, 1 },
        { "faster", 256, 1 },
        { "faster", 1024, 1 },
        { "faster", 77, 0 },
        { "faster", 77, 1 },
        { "faster-batch", 8, 0 },
        { "faster-batch", 100, 1 },
        { "faster-populated", 8, 0 },
        { "faster-append", 8, 8 },
        { "faster-append", 77, 8 },
        { "faster-merging", 100, 8 },
        { "tiered", 8, 8 },
        { "tiered", 100, 8 },
        { "tiered-batch", 100, 8 },
        { "tiered-merging", 100, 8 },
        { "faster-prefetch", 8, 0 },
        { "faster-expiring", 8, 0 },
        { "faster-beside-expiring", 8, 0 },
        { "dictionary", 8, 0 },
        { "hotring", 8, 0 },
        { "hotring", 100, 0 },
        { "hotring-batch", 8, 0 },
        { "hotring-batch", 100, 0 },
        { "hotring-random", 8, 0 },
        { "chaining", 8, 0 },
        { "bare", 8, 0 },
        { "bare-batch", 8, 0 },
        { "sqlite", 8, 0 },
        { "sqlite", 100, 8 },
    };

    [Theory]
    [MemberData(nameof(Own))]
    [PeerData("rocksdb", 8, 0)]
    [PeerData("rocksdb", 100, 8)]
    [PeerData("lmdb", 8, 0)]
    [PeerData("lmdb", 77, 8)]
    public async Task An_engine_of_this_program_answers_right(string name, int valueBytes, int mebibytes)
    {
        IEngineSource source = EngineCatalog.OwnEngines.Single(e => e.Name == name);
        LoadSettings settings = SettingsOf(valueBytes, mebibytes);
        // One of two writers that share no memory but the file waits for SQLite's lock for seconds; 8 MiB have two.
        if (name == "sqlite" && mebibytes == 0)
            settings = settings with { Cells = [.. settings.Cells.Select(static cell => cell with { Threads = 1 })] };
        Assert.Null(source.Refuses(new EngineShape(settings.Keys, valueBytes, settings.MemoryBytes)));
        string folder = Directory.CreateTempSubdirectory("ycsb-engine-").FullName;
        try
        {
            var results = new List<RunResult>();
            await LoadStep.RunAsync(source, folder, settings, results.Add);
            RequireAll(results, name, settings);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory]
    [InlineData("faster")]
    [InlineData("faster-batch")]
    [InlineData("hotring")]
    [InlineData("hotring-batch")]
    [InlineData("chaining")]
    [InlineData("bare")]
    [InlineData("bare-batch")]
    [InlineData("dictionary")]
    public async Task Absent_and_dependent_keys_are_read_right(string name)
    {
        IEngineSource source = EngineCatalog.OwnEngines.Single(e => e.Name == name);
        var results = new List<RunResult>();
        await LoadStep.RunAsync(source, Path.GetTempPath(), SettingsOf(sizeof(long), 0, Reads), results.Add);
        Assert.Equal(Reads, results.Select(r => r.Workload));
    }

    [Fact]
    public async Task An_engine_that_can_read_no_absent_keys_says_so()
    {
        IEngineSource source = EngineCatalog.OwnEngines.Single(e => e.Name == "faster");
        var e = await Assert.ThrowsAsync<InvalidOperationException>(() => LoadStep.RunAsync(
            source, Path.GetTempPath(), SettingsOf(100, 0, Reads), _ => { }));
        Assert.Contains("absent", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("faster-csharp", 8, 0, 8)]
    [InlineData("faster-csharp", 8, 0)]
    [InlineData("faster-csharp", 100, 4)]
    [InlineData("faster-csharp-safe", 100, 4)]
    public async Task The_peer_answers_right_in_its_own_process(
        string name, int valueBytes, int mebibytes, int keysPerBucket = 0)
    {
        string[] workloads = mebibytes == 0 ? [.. Reads, .. Workloads] : Workloads;
        LoadSettings settings = SettingsOf(valueBytes, mebibytes, workloads) with
        {
            KeysPerBucket = keysPerBucket != 0 ? keysPerBucket : null,
        };
        string folder = Directory.CreateTempSubdirectory("ycsb-engine-").FullName;
        try
        {
            string output = await ChildProgram.RunAsync(
                EngineCatalog.Entries[name].Program, EngineCommands.Cells.ArgumentsOf(name, folder, settings), default);
            RequireAll(
                [.. output.TrimEnd().Split('\n').Select(line =>
                    (RunResult)JsonSerializer.Deserialize(line, StepJson.Default.StepResult)!)],
                name, settings, workloads);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory]
    [InlineData("faster")]
    [InlineData("faster-batch")]
    [InlineData("faster-prefetch")]
    [InlineData("hotring")]
    [InlineData("chaining")]
    public async Task An_index_of_fixed_size_answers_right(string name)
    {
        IEngineSource source = EngineCatalog.OwnEngines.Single(e => e.Name == name);
        LoadSettings settings = SettingsOf(sizeof(long), 0) with { Keys = 140_000, KeysPerBucket = 8 };
        var results = new List<RunResult>();
        await LoadStep.RunAsync(source, Path.GetTempPath(), settings, results.Add);
        RequireAll(results, name, settings);
        // The records, which are the same at any size of the index, take 24 to 34 bytes; the index itself takes one.
        // The load has a session for each processor, and each may keep a piece of memory that it has not filled.
        double pieces = Environment.ProcessorCount * (double)(64 << 10) / settings.Keys;
        Assert.All(results, r => Assert.InRange(r.StoreBytesPerRecord ?? 0, 25, 35 + pieces));
    }

    [Theory]
    [InlineData("dictionary", 8, 1, "budget")]
    [InlineData("dictionary", 100, 0, "8 bytes")]
    [InlineData("faster-batch", 77, 0, "100")]
    [InlineData("faster-append", 8, 0, "--memory")]
    [InlineData("faster-merging", 100, 0, "--memory")]
    [InlineData("tiered-merging", 8, 1, "100 bytes")]
    [InlineData("faster-prefetch", 100, 0, "8 bytes")]
    [InlineData("faster-expiring", 8, 1, "in memory")]
    [InlineData("faster-beside-expiring", 100, 0, "8 bytes")]
    [InlineData("faster-csharp", 77, 0, "100")]
    public void An_engine_refuses_capabilities_that_it_lacks(string name, int valueBytes, int mebibytes, string reason)
    {
        LoadSettings settings = SettingsOf(valueBytes, mebibytes);
        string? refused = EngineCatalog.Entries[name].Refuses(
            new EngineShape(settings.Keys, valueBytes, settings.MemoryBytes));
        Assert.Contains(reason, refused, StringComparison.Ordinal);
    }

    private static LoadSettings SettingsOf(int valueBytes, int mebibytes, string[]? workloads = null) =>
        LoadStepTests.SettingsOf(workloads ?? Workloads) with
    {
        Keys = mebibytes == 0 ? 2000 : Math.Max(4 << 20, 2 * mebibytes << 20) / (32 + valueBytes) / 4,
        ValueBytes = valueBytes,
        MemoryBytes = mebibytes == 0 ? null : (long)mebibytes << 20,
        Seconds = 0.02,
        WarmUpSeconds = 0.01,
    };

    private static void RequireAll(
        IReadOnlyList<RunResult> results, string engine, LoadSettings settings, string[]? workloads = null)
    {
        Assert.Equal(workloads ?? Workloads, results.Select(r => r.Workload));
        Assert.All(results, r => Assert.Equal(
            (engine, settings.Keys, (long)settings.Keys, settings.ValueBytes),
            (r.Engine, r.Keys, r.Checked, r.ValueBytes)));
    }
}
