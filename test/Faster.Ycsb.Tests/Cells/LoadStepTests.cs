using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Tests.Cells;

public class LoadStepTests
{
    [Fact]
    public async Task Cells_run_in_turn_on_one_load_and_all_are_checked()
    {
        string[] workloads = ["c", "a", "rmw", "f", "upsert", "90:10", "dependent", "absent", "w"];
        List<RunResult> results = await RunAsync(Fault.None, workloads);
        Assert.Equal(workloads, results.Select(r => r.Workload));
        Assert.All(results, r =>
        {
            Assert.True(r.OperationsPerSecond > 0);
            Assert.Equal(1000, r.Checked);
            Assert.True(r.Latency is { Samples: > 0 } times && times.P50 <= times.P99 && times.P99 <= times.Max);
        });
        Assert.Equal("hotset", results[^1].Distribution);
    }

    [Theory]
    [InlineData(Fault.ReadsAnother, "c", "other keys")]
    [InlineData(Fault.ReadsAnother, "a", "other keys")]
    [InlineData(Fault.FindsAbsent, "absent", "never loaded")]
    [InlineData(Fault.LosesUpsert, "upsert", "Key 77")]
    [InlineData(Fault.LosesUpsert, "a", "Key 77")]
    [InlineData(Fault.LosesOneAddition, "rmw", "lost")]
    [InlineData(Fault.LosesOneAddition, "f", "lost")]
    [InlineData(Fault.LosesInserts, "d", "lost")]
    public async Task A_wrong_answer_fails_the_run(Fault fault, string workload, string message)
    {
        WrongAnswerException e = await Assert.ThrowsAsync<WrongAnswerException>(() => RunAsync(fault, workload));
        Assert.Contains(message, e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Inserted_keys_are_checked_too()
    {
        RunResult result = Assert.Single(await RunAsync(Fault.None, "d"));
        Assert.Equal("latest", result.Distribution);
        Assert.True(result.Checked > 1000);
    }

    [Theory]
    [InlineData("d", null, 281_000)] // two threads, 70 ms, as fast as an engine in memory may insert
    [InlineData("d", 1L << 20, 4_500)]
    [InlineData("a", 1L << 20, 1_000)]
    public async Task A_store_expects_the_keys_that_the_cells_will_insert(string workload, long? memory, long keys)
    {
        var engine = new FaultyEngine(Fault.None);
        LoadSettings settings = SettingsOf(workload) with { MemoryBytes = memory };
        await LoadStep.RunAsync(engine, Path.GetTempPath(), settings, _ => { });
        Assert.Equal(keys, engine.Shape!.Keys);
    }

    [Fact]
    public void A_child_gets_the_settings_as_they_are()
    {
        LoadSettings settings = SettingsOf("a") with
        {
            MemoryBytes = 1 << 30, Trace = "file", LimitBytes = 7, KeysPerBucket = 8, HotspotInterval = 9,
        };
        string json = EngineCommands.Cells.ArgumentsOf("faster", "folder", settings).Last();
        Assert.Equivalent(settings, JsonSerializer.Deserialize(json, LoadSettingsJson.Default.LoadSettings), true);
    }

    [Fact]
    public async Task A_sample_holds_the_hottest_key_and_finds_what_it_sees()
    {
        var expected = new ExpectedValues(1000, stride: 10);
        var engine = new FaultyEngine(Fault.None);
        AnswerCheck.Load(engine, 1000);
        Assert.True(YcsbWorkload.TryParse("rmw", out YcsbWorkload? rmw));
        KeyStream stream = new KeyDraw(1000, KeyDistribution.Zipf).Streams(1)[0];
        long operations = stream.Drawn.Length + 100L; // a lap and a bit
        expected.Note(stream, operations, rmw, 0);
        Assert.Throws<WrongAnswerException>(() => expected.Check(engine));
        for (long i = 0; i < operations; i++)
            engine.Rmw([stream.Drawn[(int)(i % stream.Drawn.Length)]]);
        Assert.Equal(100, expected.Check(engine));
        await engine.DisposeAsync();
    }

    internal static LoadSettings SettingsOf(params string[] workloads) => new()
    {
        Keys = 1000, Seconds = 0.05, WarmUpSeconds = 0.02, Verify = true,
        Cells =
        [
            .. workloads.Select(name => YcsbWorkload.TryParse(name, out YcsbWorkload? w)
                ? new CellSettings(w.Name, w.DistributionFor(KeyDistribution.Zipf), 0.99, 2)
                : throw new FormatException(name)),
        ],
    };

    private static async Task<List<RunResult>> RunAsync(Fault fault, params string[] workloads)
    {
        var results = new List<RunResult>();
        await LoadStep.RunAsync(new FaultyEngine(fault), Path.GetTempPath(), SettingsOf(workloads), results.Add);
        return results;
    }
}
