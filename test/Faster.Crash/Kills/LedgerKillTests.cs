using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Ledgers;
using Faster.Engines;
using Xunit.Abstractions;

namespace Faster.Crash.Kills;

/// <summary>
/// A process that writes a ledger is killed by SIGKILL at random moments, again and again over one folder, while its
/// log is truncated, an export is imported, a subscriber follows, or commits are scanned.
/// </summary>
public sealed class LedgerKillTests(ITestOutputHelper output)
{
    private const int KillsOfAFeature = 3;

    [Theory, MemberData(nameof(LedgerCrashTests.Features), MemberType = typeof(LedgerCrashTests))]
    public async Task A_killed_process_loses_nothing_but_truncated_records(LedgerFeature feature)
    {
        int seed = TestSeed.First - 1 + (int)feature;
        var plan = new LedgerPlan(feature, seed);
        (LedgerNotes all, int kills) = await NotedLives.KillAsync(
            feature.ToString(), seed, TestBudget.Times(KillsOfAFeature), async (folder, told, life) =>
        {
            await using FasterStore store = await LedgerLife.OpenAsync(folder, plan, LedgerLife.TimeOf(life));
            return (await LedgerOracle.JudgeAsync(store, told)).Wrong;
        });
        output.WriteLine(
            $"{feature}: {kills} kills, {all.Committed} operations in acknowledged commits, up to {all.GivenUp} given "
            + $"up, {all.Imports.Count} imports begun, 0 violations");
    }
}
