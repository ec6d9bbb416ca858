using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Ledgers;
using Faster.Engines;

namespace Faster.Crash.OracleTests;

/// <summary>The ledger's oracle finds one operation too few or too many, and a value of another life.</summary>
public sealed class LedgerOracleTests
{
    [Fact]
    public async Task Each_false_report_is_found()
    {
        (string[] notes, CrashDisk disk) = await EndOfAsync(LedgerFeature.Truncating);
        LedgerNotes told = LedgerNotes.Parse(notes);
        Assert.True(told.GivenUp > 0);
        Assert.Null(await JudgeAsync(disk, notes));
        string[] other = [.. notes.Where(static note => !note.StartsWith("life", StringComparison.Ordinal))];
        await FindAsync("acknowledged", disk, [.. notes, LedgerNotes.CommitOf(told.Committed + 1, 0)]);
        await FindAsync("begins at", disk, [.. notes, LedgerNotes.CommitOf(0, 1 << 30)]);
        await FindAsync("has seen", disk, [.. notes, LedgerNotes.SightOf(told.Committed + 1, 0)]);
        await FindAsync("log ends", disk, [.. notes, LedgerNotes.SightOf(0, 1 << 30)]);
        await FindAsync("are gone", disk, Without(notes, "gives"));
        await FindAsync("has the value", disk, [.. other, LedgerNotes.LifeOf(2, 0)]);
        await FindAsync("has the value", disk, [.. notes, LedgerNotes.LifeOf(2, told.Committed - 1)]);
    }

    [Fact]
    public async Task An_import_that_is_not_whole_is_found()
    {
        (string[] notes, CrashDisk disk) = await EndOfAsync(LedgerFeature.Importing);
        Assert.Contains(true, LedgerNotes.Parse(notes).Imports.Values);
        Assert.Null(await JudgeAsync(disk, notes));
        await FindAsync("there are 0 records", disk, [.. notes, LedgerNotes.ImportOf(77_000_000_000, true)]);
    }

    private static string[] Without(string[] notes, string what) =>
        [.. notes.Where(note => !note.StartsWith(what, StringComparison.Ordinal))];

    private static async Task FindAsync(string wrong, CrashDisk disk, string[] notes) =>
        Assert.Contains(wrong, await JudgeAsync(disk, notes), StringComparison.Ordinal);

    private static Task<string?> JudgeAsync(CrashDisk disk, string[] notes) =>
        LedgerDisk.JudgeAsync(disk.CrashState(seed: 1), new LedgerPlan(LedgerFeature.Truncating, 1), notes);

    private static async Task<(string[] Notes, CrashDisk Disk)> EndOfAsync(LedgerFeature feature)
    {
        var disk = new CrashDisk();
        var plan = new LedgerPlan(feature, Seed: 1);
        SteppedTime time = LedgerLife.TimeOf(1);
        await using (FasterStore store = await LedgerDisk.OpenAsync(disk, plan, time))
        {
            await new LedgerRun(plan, store, life: 1, time, disk.Mark).GoAsync(10);

            // Told as well: the point of the last round's commit may lie before that round's last operations.
            long begin = store.Statistics.BeginAddress;
            Commit commit = await store.CommitAsync();
            CommitPoint point = commit.Points.Single(static p => p.SessionName == LedgerPlan.Session);
            disk.Mark(LedgerNotes.CommitOf(point.SerialNumber, begin));
        }

        return ([.. disk.Notes()], disk);
    }
}
