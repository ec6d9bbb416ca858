using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Workloads;

namespace Faster.Crash.Faults;

/// <summary>
/// A disk that is too small, of every size: typed errors, and everything works again once space is freed.
/// </summary>
public sealed class FullDiskTests
{
    private const int RoundsOfFullLogs = 300;

    [Fact]
    public Task At_every_size_of_the_disk_what_does_not_fit_is_refused_and_nothing_acknowledged_is_lost() =>
        RefuseAsync(
            RunKinds.Make(
                "full", FaultyRun.PlanOf(12 + TestSeed.First),
                new CommitSchedule { Kinds = Enum.GetValues<CommitKind>() }),
            TestBudget.Factor >= 8 ? 512 : 4096);

    /// <summary>No commits but those that free the logs: some sizes have no space for them.</summary>
    [Theory]
    [InlineData("each-operation-spilling")]
    [InlineData("tiered-each-operation")]
    public Task Nor_is_anything_lost_where_each_operation_is_durable(string name) => RefuseAsync(
        RunKinds.OfEachOperation(name, FaultyRun.PlanOf(14 + TestSeed.First) with { LongestFilling = 200 }),
        TestBudget.Factor >= 8 ? 4096 : 50_000, RoundsOfFullLogs);

    private static async Task RefuseAsync(RunKind kind, long step, int? rounds = null)
    {
        int refused = 0;
        for (long capacity = 0; ; capacity += step)
        {
            var disk = new CrashDisk { Capacity = capacity };
            FaultyRun run = rounds is { } some ? new(kind, disk, some) : new(kind, disk);
            await run.GoAsync();
            Assert.True(run.Slowest < FaultyRun.Limit, $"Capacity {capacity}: a call took {run.Slowest}");
            string? wrong = await new CrashJudge(run.Done).RecoverAsync(disk.CrashState(0), disk.Notes());
            Assert.True(wrong is null, $"Capacity {capacity}: {wrong}");
            if (disk.Faults == 0) break;
            refused++;
        }

        Assert.True(refused > 3, $"Only {refused} sizes were too small.");
    }
}
