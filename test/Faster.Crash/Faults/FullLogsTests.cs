using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Workloads;
using Faster.LogSessions;
using Faster.OperationLogs;
using Xunit.Abstractions;

namespace Faster.Crash.Faults;

/// <summary>
/// Writers fill the operation logs again and again, while commits of all kinds are requested without pause: no
/// operation is held up for long, and nothing is lost or counted twice.
/// </summary>
public sealed class FullLogsTests(ITestOutputHelper output)
{
    private const int Commits = 25, Rounds = 40, Laps = 10, States = 12;

    [Theory]
    [InlineData("each-operation-spilling")]
    [InlineData("tiered-each-operation")]
    public async Task Logs_that_are_full_while_commits_are_requested_are_freed(string name)
    {
        var schedule = new CommitSchedule
        {
            Commits = Commits, Rounds = Rounds, RoundsMeanwhile = Rounds - 1, BurstEvery = 1,
            Kinds = Enum.GetValues<CommitKind>(),
        };
        var plan = new WorkloadPlan
        {
            Seed = TestSeed.First, OwnKeys = 24, SharedKeys = 40, LongestFilling = 1_000, Sessions = 4,
        };
        RunKind kind = RunKinds.OfEachOperation(name, plan, schedule);
        var disk = new CrashDisk { Reordering = new Random(plan.Seed) };
        await using (IWorkStore store = await kind.OpenAsync(disk))
        {
            var run = new WorkloadRun(kind.Plan, schedule, store, points => RecordedRun.Note(disk, points));
            await run.GoAsync();
            SessionPoint[] end = [.. run.Done.Select(static number => new SessionPoint(number, []))];
            Assert.Null(new Oracle(kind.Plan).Compare(store, end));
            LogSet logs = ((LogStoreCore)RunKind.CoreOf(store)).Journal!.Logs;
            long laps = logs.Mark().Sum(static mark => mark.Position) * 7 / 8 / logs.Capacity;
            output.WriteLine($"{laps} laps");
            Assert.True(laps >= Laps, $"The logs have had {laps} laps: they were hardly full.");
        }

        var judge = new CrashJudge(kind);
        var random = new Random(plan.Seed);
        for (int i = 0; i < TestBudget.Times(States); i++)
        {
            int moment = i == 0 ? disk.Events.Count : random.Next(disk.Events.Count), seed = random.Next();
            Assert.Null(await judge.RecoverAsync(disk.CrashState(seed, moment), disk.Notes(moment)));
        }
    }
}
