using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Crash.Ledgers;
using Faster.Engines;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// The power is cut at boundaries of a ledger while its log is truncated, an export is imported, a subscriber follows,
/// or commits are scanned whose snapshots must stay until the scan has ended.
/// </summary>
public sealed class LedgerCrashTests(ITestOutputHelper output)
{
    private const int Rounds = 14, StatesOfARun = 60, KillsOfARun = 16;
    private const int MostRuns = 8; // where none gives anything up

    public static TheoryData<LedgerFeature> Features => [.. Enum.GetValues<LedgerFeature>()];

    [Theory, MemberData(nameof(Features))]
    public async Task A_power_cut_takes_nothing_but_truncated_records(LedgerFeature feature)
    {
        int wanted = TestBudget.Times(StatesOfARun), states = 0, gaveUp = 0, imported = 0, seen = 0;
        bool truncates = feature is LedgerFeature.Truncating or LedgerFeature.TruncatingByAge;
        bool IsEnough(int runs) => states >= wanted && (!truncates || gaveUp > 0 || runs >= MostRuns);
        for (int seed = TestSeed.First; !IsEnough(seed - TestSeed.First); seed++)
        {
            var plan = new LedgerPlan(feature, seed);
            CrashDisk run = await RecordAsync(plan);
            LedgerNotes all = LedgerNotes.Parse(run.Notes());
            gaveUp += all.Begin > Faster.Log.PagedLog.FirstAddress ? 1 : 0;
            imported += all.Imports.Values.Count(static committed => committed);
            seen += all.Seen > 0 ? 1 : 0;
            var noted = new NotedRun(run, new NotedLedger(plan));
            states += await noted.CutAsync(Math.Max(wanted - states, 1)); // a slow run may give nothing up
            states += await noted.KillAsync(KillsOfARun);
            output.WriteLine($"seed {seed}: {noted}");
        }

        output.WriteLine($"{feature}: {states} states, {gaveUp} runs gave up, {imported} imports, 0 violations");
        Assert.True(!truncates || gaveUp > 0, "Nothing was given up: the test shows nothing.");
        Assert.True(feature != LedgerFeature.Importing || imported > 0, "Nothing was imported.");
        Assert.True(feature != LedgerFeature.Following || seen > 0, "Nothing was seen.");
    }

    [Fact]
    public async Task A_crash_of_a_saved_ledger_is_made_and_judged_again()
    {
        CrashDisk run = await RecordAsync(new LedgerPlan(LedgerFeature.Truncating, Seed: 1));
        int events = run.Events.Count;
        run.Mark(LedgerNotes.CommitOf(1_000_000, begin: 0)); // which is not so
        string path = TraceFile.Save(run, nameof(LedgerFeature.Truncating), seed: 1);
        Assert.Null(await ReplayTests.JudgeAsync(path, $"{events}:1", output));
        Assert.Null(await ReplayTests.JudgeAsync(path, $"{events}:kill", output));
        string? wrong = await ReplayTests.JudgeAsync(path, $"{events + 1}:1", output);
        Assert.Contains("1000000 was acknowledged", wrong, StringComparison.Ordinal);
        wrong = await ReplayTests.JudgeAsync(path, $"{events + 1}:kill", output);
        Assert.Contains("1000000 was acknowledged", wrong, StringComparison.Ordinal);
        File.Delete(path);
    }

    private static async Task<CrashDisk> RecordAsync(LedgerPlan plan)
    {
        var disk = new CrashDisk { Reordering = new Random(plan.Seed) };
        SteppedTime time = LedgerLife.TimeOf(1);
        await using FasterStore store = await LedgerDisk.OpenAsync(disk, plan, time);
        await new LedgerRun(plan, store, life: 1, time, disk.Mark).GoAsync(Rounds);
        return disk;
    }
}
