using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Crash.Leases;
using Faster.Engines;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// The power is cut while records of every size expire, are renewed, compacted and committed, and the clock moves: what
/// has expired is never read again, what has not expired and was committed is never lost.
/// </summary>
public sealed class LeaseCrashTests(ITestOutputHelper output)
{
    private const int Rounds = 12, StatesOfARun = 50, KillsOfARun = 6;

    [Fact]
    public async Task A_power_cut_brings_nothing_expired_back_and_takes_nothing_that_lives()
    {
        int wanted = TestBudget.Times(StatesOfARun), states = 0;
        long compactions = 0, copied = 0;
        for (int seed = TestSeed.First; states < wanted; seed++)
        {
            var plan = new LeasePlan(seed);
            (CrashDisk run, StoreStatistics end) = await RecordAsync(plan);
            (compactions, copied) = (compactions + end.Compactions, copied + end.RecordsCopied);
            var noted = new NotedRun(run, new NotedLease(plan));
            states += await noted.CutAsync(wanted - states);
            await noted.KillAsync(KillsOfARun);
            output.WriteLine($"seed {seed}: {noted}");
        }

        output.WriteLine(
            $"{states} states, {compactions} compactions copied {copied} records, 0 violations");
        Assert.True(copied > 0, "Nothing was compacted: the test shows less than it says.");
    }

    private static async Task<(CrashDisk Run, StoreStatistics End)> RecordAsync(LeasePlan plan)
    {
        var disk = new CrashDisk { Reordering = new Random(plan.Seed) };
        LeaseTime time = LeaseTime.OfLife(1);
        await using FasterStore store = await LeaseDisk.OpenAsync(disk, plan, time);
        await new LeaseRun(plan, store, life: 1, time, disk.Mark).GoAsync(Rounds);
        Assert.Null(store.Statistics.LastFault);
        return (disk, store.Statistics);
    }
}
