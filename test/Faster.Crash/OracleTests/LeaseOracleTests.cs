using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Leases;
using Faster.Crash.Ledgers;
using Faster.Engines;

namespace Faster.Crash.OracleTests;

/// <summary>The oracle of leases finds an operation too few, one of another life, and a wrong expiry.</summary>
public sealed class LeaseOracleTests
{
    private const string Any = "key [0-9]+";

    private static readonly LeasePlan Plan = new(Seed: 1);

    [Fact]
    public async Task Each_false_report_is_found()
    {
        var disk = new CrashDisk();
        LeaseTime time = LeaseTime.OfLife(1);
        await using (FasterStore store = await LeaseDisk.OpenAsync(disk, Plan, time))
        {
            await new LeaseRun(Plan, store, life: 1, time, disk.Mark).GoAsync(8);
            _ = await store.CommitAsync();
        }

        string[] notes = [.. disk.Notes()];
        LedgerNotes told = LedgerNotes.Parse(notes);
        Assert.Null(await JudgeAsync(disk, notes));
        await FindAsync("acknowledged", disk, [.. notes, LedgerNotes.CommitOf(told.Committed + 10_000, 0)]);
        await FindAsync(Any, disk, [.. notes, LedgerNotes.LifeOf(2, told.Committed - 20)]);

        // The clock is a minute later from some operation on: in the model, everything that is written then expires a
        // minute later.
        long late = told.LatestTime + 60_000;
        await FindAsync(Any, disk, [.. notes, LedgerNotes.ClockOf(late, told.Committed - 20)]);

        // Everything at one time: in the model, what has expired in between is live, and what is live expires later.
        string[] others = [.. notes.Where(static note => !note.StartsWith("clock", StringComparison.Ordinal))];
        await FindAsync(Any, disk, [.. others, LedgerNotes.ClockOf(late, 0)]);

        // A store that trusts a clock which was set back shows again what was dead when it committed.
        LeasePlan believing = Plan with { Options = Plan.Options with { AllowClockRollback = true } };
        var wrong = new List<string?>();
        for (int seed = 1; seed < 20; seed += 2)
        {
            Assert.Null(await LeaseDisk.JudgeAsync(disk.CrashState(seed: 1), Plan, notes, seed));
            wrong.Add(await LeaseDisk.JudgeAsync(disk.CrashState(seed: 1), believing, notes, seed));
        }

        Assert.Contains(wrong, static one => one?.Contains("is read", StringComparison.Ordinal) == true);
    }

    /// <summary>A scan that misses a record, shows one twice, or with another expiry.</summary>
    [Fact]
    public async Task A_scan_that_is_not_whole_is_found()
    {
        var disk = new CrashDisk();
        LeaseTime time = LeaseTime.OfLife(1);
        await using FasterStore store = await LeaseDisk.OpenAsync(disk, Plan, time);
        await new LeaseRun(Plan, store, life: 1, time, disk.Mark).GoAsync(8);
        CommitPoint point = (await store.CommitAsync()).Points.Single(static p => p.SessionName == LeasePlan.Session);
        var told = LedgerNotes.Parse(disk.Notes());
        var model = new LeaseModel(Plan, told, point.SerialNumber);
        List<(int Key, long Expiry)> whole = [];
        await foreach ((int, long) one in store.Analytics.ScanAsync(null, LeaseOracle.Lease)) whole.Add(one);
        (int Key, long Expiry) living = whole.First(one => one.Expiry > told.LatestTime);
        Assert.Null(await JudgeAsync(whole));
        Assert.Contains("does not show", await JudgeAsync(whole.Where(one => one != living)), StringComparison.Ordinal);
        Assert.Contains("does not show", await JudgeAsync([]), StringComparison.Ordinal);
        Assert.Contains("twice", await JudgeAsync([.. whole, living]), StringComparison.Ordinal);
        Assert.Contains("until 1,", await JudgeAsync([living with { Expiry = 1 }]), StringComparison.Ordinal);

        Task<string?> JudgeAsync(IEnumerable<(int, long)> scan) =>
            LeaseOracle.OfScanAsync(scan.ToAsyncEnumerable(), model, told.LatestTime);
    }

    private static async Task FindAsync(string wrong, CrashDisk disk, string[] notes) =>
        Assert.Matches(wrong, await JudgeAsync(disk, notes) ?? "nothing");

    private static Task<string?> JudgeAsync(CrashDisk disk, string[] notes) =>
        LeaseDisk.JudgeAsync(disk.CrashState(seed: 1), Plan, notes, seed: 0);
}
