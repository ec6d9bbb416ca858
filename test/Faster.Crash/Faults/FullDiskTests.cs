using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Workloads;

namespace Faster.Crash.Faults;

/// <summary>
/// A disk that is too small, of every size: typed errors, and everything works again once space is freed.
/// </summary>
public sealed class FullDiskTests
{
    [Fact]
    public async Task At_every_size_of_the_disk_what_does_not_fit_is_refused_and_nothing_acknowledged_is_lost()
    {
        RunKind kind = RunKinds.Make(
            "full", FaultyRun.PlanOf(12 + TestSeed.First),
            new CommitSchedule { Kinds = Enum.GetValues<CommitKind>() });
        int refused = 0;
        long step = TestBudget.Factor >= 8 ? 512 : 4096;
        for (long capacity = 0; ; capacity += step)
        {
            var disk = new CrashDisk { Capacity = capacity };
            var run = new FaultyRun(kind, disk);
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
