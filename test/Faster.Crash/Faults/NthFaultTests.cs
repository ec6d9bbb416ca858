using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Workloads;
using Xunit.Abstractions;

namespace Faster.Crash.Faults;

/// <summary>
/// The n-th read, write, sync, creation, renaming or deletion fails, for n = 1 and larger ones until a run is clean:
/// once, and until the disk is repaired; as a broken disk and as a full one. Each run draws its n; from a budget of 8
/// on, it tries every n.
/// </summary>
public sealed class NthFaultTests(ITestOutputHelper output)
{
    private const int CrashesOfARun = 2, RoundsBeside = 60, RoundsOfABudget = 280, RoundsOfFullLogs = 400;

    public static TheoryData<string, bool, bool, bool> Cases
    {
        get
        {
            var cases = new TheoryData<string, bool, bool, bool>();
            foreach (bool spills in new[] { false, true })
            foreach (DiskCall call in Enum.GetValues<DiskCall>()
                .Where(c => c != DiskCall.Read && (!spills || c is DiskCall.Write or DiskCall.Sync)))
            foreach (bool forEver in new[] { false, true })
            {
                cases.Add(call.ToString(), forEver, false, spills);
                if (call is DiskCall.Write or DiskCall.Create) cases.Add(call.ToString(), forEver, true, spills);
            }

            return cases;
        }
    }

    [Theory, MemberData(nameof(Cases))]
    public async Task Every_failure_is_typed_and_what_is_acknowledged_survives(
        string call, bool forEver, bool noSpace, bool spills)
    {
        await FailEachAsync(
            KindOf(spills), n => new DiskFault(Enum.Parse<DiskCall>(call), n, forEver, noSpace), widening: 0.1);
    }

    /// <summary>The same beside compaction, index resizes, a disk budget, large values, or operation logs.</summary>
    [Theory]
    [InlineData("compacting", "Read", false)]
    [InlineData("compacting", "Write", false)]
    [InlineData("compacting", "Write", true)]
    [InlineData("compacting", "Sync", false)]
    [InlineData("compacting", "Delete", false)]
    [InlineData("shrinking", "Read", false)]
    [InlineData("shrinking", "Write", false)]
    [InlineData("shrinking", "Write", true)]
    [InlineData("shrinking", "Sync", false)]
    [InlineData("disk-budget", "Read", false)]
    [InlineData("disk-budget", "Write", true)]
    [InlineData("disk-budget", "Sync", false)]
    [InlineData("disk-budget", "Delete", true)]
    [InlineData("large-values", "Read", false)]
    [InlineData("large-values", "Write", false)]
    [InlineData("large-values", "Write", true)]
    [InlineData("large-values", "Sync", false)]
    [InlineData("each-operation", "Write", false)]
    [InlineData("each-operation", "Write", true)]
    [InlineData("each-operation", "Sync", false)]
    [InlineData("each-operation", "Sync", true)]
    [InlineData("tiered-each-operation", "Write", false)]
    [InlineData("tiered-each-operation", "Write", true)]
    [InlineData("tiered-each-operation", "Sync", false)]
    [InlineData("tiered-each-operation", "Sync", true)]
    [InlineData("tiered-each-operation", "Create", true)]
    [InlineData("transactional-each", "Write", false)]
    [InlineData("transactional-each", "Write", true)]
    [InlineData("transactional-each", "Sync", false)]
    [InlineData("transactional-each", "Sync", true)]
    [InlineData("transactional-each", "Create", true)]
    public async Task Beside_a_compaction_a_resize_a_budget_and_large_values(
        string beside, string call, bool forEver)
    {
        bool isBudget = beside == "disk-budget";
        await FailEachAsync(
            BesideOf(beside), n => new DiskFault(Enum.Parse<DiskCall>(call), n, forEver),
            widening: isBudget ? 2 : 1, isBudget ? RoundsOfABudget : RoundsBeside);
    }

    /// <summary>
    /// Operation logs that only commits of the store itself free: each of their files can't be made in turn, for the
    /// moment or until space is freed, when the store is opened and when a commit is needed.
    /// </summary>
    [Theory]
    [InlineData("each-operation-spilling", false)]
    [InlineData("tiered-each-operation", true)] // only commits of tiers go on making files
    public async Task While_a_full_disk_fails_commits_operations_fail_typed_when_the_logs_are_full(
        string name, bool forEver)
    {
        WorkloadPlan plan = FaultyRun.PlanOf(13 + TestSeed.First) with { LongestFilling = 200 };
        await FailEachAsync(
            RunKinds.OfEachOperation(name, plan),
            n => new DiskFault(DiskCall.Create, n, forEver, NoSpace: true), widening: 0.1, RoundsOfFullLogs);
    }

    private async Task FailEachAsync(
        RunKind kind, Func<int, DiskFault> faultOf, double widening, int rounds = RoundsBeside)
    {
        TimeSpan slowest = default;
        int failures = 0, runs = 0, poisoned = 0, full = 0;
        bool compacts = kind.Schedule.CompactEvery != 0 || rounds == RoundsOfABudget;
        var steps = new FaultSteps();
        for (int n = 1; ; n = steps.After(n, widening * n))
        {
            var disk = new CrashDisk();
            disk.Arm(faultOf(n));
            var run = new FaultyRun(kind, disk, rounds);
            await run.GoAsync();
            Assert.True(run.Slowest < FaultyRun.Limit, $"n = {n}: a call took {run.Slowest}");
            var judge = new CrashJudge(run.Done);
            for (int seed = 0; seed < CrashesOfARun; seed++)
            {
                string? wrong = await judge.RecoverAsync(disk.CrashState(seed), disk.Notes());
                Assert.True(wrong is null, $"n = {n}, run {TestSeed.Text(TestSeed.First)}, seed {seed}: {wrong}");
            }

            failures += run.Failures;
            full += run.FullLogs;
            poisoned += run.IsPoisoned ? 1 : 0;
            if (run.Slowest > slowest) slowest = run.Slowest;
            runs++;
            if (disk.Faults != 0) continue;
            Assert.True(run.Compactions > 0 || !compacts, "Nothing was compacted: the test shows less than it says.");
            Assert.True(run.Commits > 3 || rounds != RoundsOfFullLogs, $"The logs were hardly freed: {run.Commits}.");
            break;
        }

        output.WriteLine(
            $"{runs} runs, {failures} calls failed, {full} by full logs, {poisoned} runs were poisoned, "
            + $"the slowest call took {slowest.TotalMilliseconds:0} ms");
        Assert.True(full > 0 || rounds != RoundsOfFullLogs || !faultOf(1).ForEver, "The logs were never full.");
        Assert.True(runs > 1, "The workload does not make this call: the test shows nothing.");
    }

    private static RunKind BesideOf(string beside)
    {
        var schedule = new CommitSchedule { Kinds = Enum.GetValues<CommitKind>() };
        WorkloadPlan plan = FaultyRun.PlanOf(11 + TestSeed.First);
        WorkloadPlan bytes = plan with { Bytes = true, LongestFilling = 900 };
        return beside switch
        {
            "compacting" => RunKinds.Make(beside, bytes, schedule with { CompactEvery = 1 }, pages: 6),
            "each-operation" => RunKinds.Make(
                beside, plan with { IsEachDurable = true }, schedule,
                RunKinds.Small with
                {
                    MemoryBudget = ByteSize.MiB(1), Durability = Durability.EachOperation,
                    OperationLogSize = ByteSize.KiB(64),
                }),
            "transactional-each" => RunKinds.Of(beside, plan.Seed) with
            {
                Plan = plan with { IsEachDurable = true, Transfers = true }, Schedule = schedule,
            },
            "tiered-each-operation" => RunKinds.OfEachOperation(
                beside, plan with { LongestFilling = 240 }, schedule with { CompactEvery = 1 }),
            "shrinking" => RunKinds.Make(
                beside, bytes, schedule with { GrowBefore = [1, 3], ShrinkBefore = [2, 4] }, pages: 6),
            "disk-budget" => RunKinds.Make(
                beside, bytes, schedule, RunKinds.Small with { DiskBudget = ByteSize.KiB(256) }, pages: 6),
            _ => RunKinds.Make(
                beside, bytes with { OwnKeys = 4, SharedKeys = 3, LongestFilling = 1_500 }, schedule, pages: 6),
        };
    }

    private static RunKind KindOf(bool spills)
    {
        var schedule = new CommitSchedule { Kinds = Enum.GetValues<CommitKind>() };
        WorkloadPlan plan = FaultyRun.PlanOf(10 + TestSeed.First);
        return spills
            ? RunKinds.Make("faulty-spilling", plan with { Bytes = true, LongestFilling = 900 }, schedule, pages: 6)
            : RunKinds.Make("faulty", plan, schedule);
    }
}
