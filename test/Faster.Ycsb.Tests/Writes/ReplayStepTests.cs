using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Ycsb.Tests.Writes;

public class ReplayStepTests
{
    [Theory]
    [InlineData(2500, 1000)]
    [InlineData(500, 500)]
    public async Task Values_that_were_acknowledged_before_the_end_are_found_by_the_next_opening(long writes, int found)
    {
        ReplayResult result = await RunAsync(DurableFault.None, writes);
        Assert.Equal((found, writes * 108), (result.Checked, result.WrittenBytes));
    }

    [Fact]
    public async Task A_write_that_was_acknowledged_and_lost_is_found_missing()
    {
        WrongAnswerException e = await Assert.ThrowsAsync<WrongAnswerException>(
            () => RunAsync(DurableFault.LosesOneKey, 1000));
        Assert.Contains("Key 77", e.Message, StringComparison.Ordinal);
    }

    private static async Task<ReplayResult> RunAsync(DurableFault fault, long writes)
    {
        var engine = new FakeDurableEngine(fault);
        var settings = new ReplaySettings { Keys = 1000, Writes = writes };
        bool hasEnded = false;
        AnswerCheck.Load(engine, settings.Keys); // so that a lost update leaves a value that is not the last one
        await ReplayStep.WriteAsync(engine, Path.GetTempPath(), settings, () => hasEnded = true);
        Assert.True(hasEnded);
        return await ReplayStep.RunAsync(engine, Path.GetTempPath(), settings);
    }
}
