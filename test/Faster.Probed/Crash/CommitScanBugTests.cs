using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Probes;
using Faster.Tests.Scheduling;
using Xunit.Abstractions;

namespace Faster.Tests.Crash;

/// <summary>
/// The laboratory finds a scan as of a commit of two tiers that reads more of the cold log than its commit had: after a
/// power cut and a commit that follows, when the commit before is scanned.
/// </summary>
public sealed class CommitScanBugTests(ITestOutputHelper output)
{
    private const int MaxRuns = 3, StatesOfARun = 30;
    private const string Kind = "tiered";

    [Fact]
    public async Task A_scan_that_passes_the_end_of_its_commit_is_found()
    {
        int states = 0;
        foreach (int seed in Enumerable.Range(TestSeed.First, MaxRuns))
        {
            CrashDisk run = await RecordedRun.RecordAsync(RunKinds.Of(Kind, seed));
            using IDisposable seeded = SeededProbe.Seed(SeededBug.CommitScanPassesEnd);
            var judge = new CrashJudge(RunKinds.Of(Kind, seed));
            foreach (CrashPoint point in new CrashScan(run, 0, seeds: 1, StatesOfARun).All())
            {
                states++;
                string? wrong = await judge.GoOnAsync(point.Disk, point.Notes, point.Events);
                if (wrong is null) continue;
                output.WriteLine($"run {seed}, state {states}: {wrong}");
                Assert.Contains("As of commit", wrong, StringComparison.Ordinal);
                return;
            }
        }

        Assert.Fail($"None of {states} states shows it.");
    }
}
