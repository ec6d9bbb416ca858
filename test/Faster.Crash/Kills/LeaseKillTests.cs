using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Leases;
using Faster.Crash.Ledgers;
using Faster.Engines;
using Xunit.Abstractions;

namespace Faster.Crash.Kills;

/// <summary>
/// A process whose records expire is killed by SIGKILL at random moments, again and again over one folder; its clock
/// continues from life to life.
/// </summary>
public sealed class LeaseKillTests(ITestOutputHelper output)
{
    private const int Kills = 3;

    [Fact]
    public async Task A_killed_process_reads_nothing_expired_and_loses_nothing_that_lives()
    {
        int seed = TestSeed.First;
        var plan = new LeasePlan(seed);
        (LedgerNotes all, int kills) = await NotedLives.KillAsync(
            LeasePlan.Feature, seed, TestBudget.Times(Kills), async (folder, told, life) =>
        {
            LeaseTime time = LeaseDisk.ClockAfter(told, life);
            await using FasterStore store = await LeaseLife.OpenAsync(folder, plan, time);
            return (await LeaseOracle.JudgeAsync(store, plan, told, time)).Wrong;
        });
        output.WriteLine($"{kills} kills, {all.Committed} operations in acknowledged commits, 0 violations");
    }
}
