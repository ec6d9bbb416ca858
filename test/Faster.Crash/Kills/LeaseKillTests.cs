using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Leases;
using Faster.Crash.Ledgers;
using Xunit.Abstractions;

namespace Faster.Crash.Kills;

/// <summary>
/// A process whose records expire is killed by SIGKILL at random moments, again and again over one folder; from life to
/// life its clock goes on.
/// </summary>
public sealed class LeaseKillTests(ITestOutputHelper output)
{
    private const int Kills = 3, LinesOfALife = 60, Rounds = 60;

    [Fact]
    public async Task A_killed_process_reads_nothing_expired_and_loses_nothing_that_lives()
    {
        const int Seed = 1;
        int kills = Budget.Times(Kills);
        string folder = Path.Combine(AppContext.BaseDirectory, $"leases-{Environment.ProcessId}");
        var plan = new LeasePlan(Seed);
        var random = new Random(Seed);
        List<string> notes = [];
        for (int life = 1; life <= kills; life++)
        {
            notes.AddRange(await KilledProgram.LiveAndDieAsync(
                folder, [Seed, life, Rounds], LeasePlan.Feature, random, LinesOfALife));
            LedgerNotes told = LedgerNotes.Parse(notes);
            LeaseTime time = LeaseDisk.ClockAfter(told, life);
            await using FasterStore<NoProbe> store = await LeaseLife.OpenAsync(folder, plan, time);
            (string? wrong, _) = await LeaseOracle.JudgeAsync(store, plan, told, time);
            Assert.True(wrong is null, $"Life {life} (kept in {folder}): {wrong}");
        }

        Directory.Delete(folder, recursive: true);
        LedgerNotes all = LedgerNotes.Parse(notes);
        output.WriteLine($"{kills} kills, {all.Committed} operations in acknowledged commits, 0 violations");
        Assert.True(all.Committed > 0, "Nothing was committed: the kills come too early to show anything.");
    }
}
