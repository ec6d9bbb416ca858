using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Tests.Cells;

namespace Faster.Ycsb.Tests.Writes;

public class DurableStepTests
{
    [Theory]
    [InlineData("blocking:2", 1)]
    [InlineData("batches:2x16", 16)]
    [InlineData("awaited:1x8", 1)]
    public async Task Writes_are_counted_by_call_and_by_sync_and_all_are_checked(string form, int perSync)
    {
        DurableResult result = await RunAsync(new FakeDurableEngine(), form);
        Assert.Equal(("fake", form, 1000), (result.Engine, result.Form, result.Checked));
        Assert.True(result.OperationsPerSecond > 0);
        Assert.InRange(result.RecordsPerSync!.Value, 0.5 * perSync, 2 * perSync); // both counts are read in turn
        Assert.True(result.Latency is { Samples: > 0 } times && times.P50 <= times.P99);
        Assert.Equal(result.Seconds.Count, result.BinPerSecond.Count);
    }

    [Fact]
    public async Task An_awaiting_session_has_so_many_writes_under_way_and_never_more()
    {
        var engine = new FakeDurableEngine();
        _ = await RunAsync(engine, "awaited:1x8");
        Assert.InRange(engine.MostUnderWay, 2, 8);
        Assert.Equal(0, engine.UnderWay); // what was begun is waited for before anything is checked
    }

    [Theory]
    [InlineData("blocking:2")]
    [InlineData("batches:2x16")]
    [InlineData("awaited:2x8")]
    public async Task A_write_that_was_acknowledged_and_lost_fails_the_run(string form)
    {
        WrongAnswerException e = await Assert.ThrowsAsync<WrongAnswerException>(
            () => RunAsync(new FakeDurableEngine(DurableFault.LosesOneKey), form));
        Assert.Contains("Key 77", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("blocking:2")]
    [InlineData("awaited:2x8")]
    public async Task A_client_that_fails_ends_the_run_at_once(string form)
    {
        DurableSettings settings = SettingsOf(form) with { Seconds = 3600 };
        IOException e = await Assert.ThrowsAsync<IOException>(() => DurableStep.RunAsync(
            new FakeDurableEngine(DurableFault.Fails), Path.GetTempPath(), settings));
        Assert.Contains("disk is gone", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_session_that_keeps_to_a_pace_writes_no_more_than_it_allows()
    {
        var engine = new FakeDurableEngine();
        KeyStream stream = new KeyDraw(1000, KeyDistribution.Uniform).Streams(1)[0];
        long allowed = 10;
        var session = new WriteSession(engine, new WriteShape(WriteForm.Awaited, 1, 4), stream)
        {
            Allowed = () => Volatile.Read(ref allowed),
        };
        session.Start();
        while (engine.Syncs!.Value.Count < 10)
            await Task.Yield();
        Volatile.Write(ref allowed, 20);
        while (engine.Syncs!.Value.Count < 20)
            await Task.Yield();
        session.RequestStop();
        await session.JoinAsync();
        Assert.Equal(20, session.Done);
    }

    [Fact]
    public async Task An_engine_whose_writes_are_not_durable_is_refused() =>
        await Assert.ThrowsAsync<NotSupportedException>(() => DurableStep.RunAsync(
            new FaultyEngine(Fault.None), Path.GetTempPath(), SettingsOf("blocking:1")));

    [Fact]
    public void Figures_are_for_each_second_each_sync_and_each_byte_of_the_user()
    {
        var timeline = new Timeline([new Sample(0, 100, 0), new Sample(1, 1100, 0), new Sample(2, 1600, 0)]);
        var figures = new DurableFigures(
            timeline, null, new SyncCounts(300, 0.5), new IOCounters(0, 0, 0, 0, 10),
            new IOCounters(0, 1500 * 216, 0, 1500 * 432, 910));
        DurableResult result = figures.ResultOf(
            "fake", new WriteShape(WriteForm.Blocking, 2, 1), SettingsOf("blocking:2"), compared: 5);
        Assert.Equal((750, 500), (result.OperationsPerSecond, result.WorstPerSecond));
        Assert.Equal((150, 5, 0.005), (result.SyncsPerSecond, result.RecordsPerSync, result.SyncGapSeconds));
        Assert.Equal((2, 4), (result.WriteAmplification, result.DeviceWriteAmplification));
        Assert.Equal(450, result.DeviceFlushesPerSecond);
        Assert.Equal([1000, 500], result.BinPerSecond);
    }

    private static DurableSettings SettingsOf(string form) => new()
    {
        Keys = 1000, Distribution = KeyDistribution.Uniform, Shape = form, Seconds = 0.1, WarmUpSeconds = 0.05,
    };

    private static Task<DurableResult> RunAsync(FakeDurableEngine engine, string form) =>
        DurableStep.RunAsync(engine, Path.GetTempPath(), SettingsOf(form));
}
