using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Ledgers;
using Faster.Engines;
using Xunit.Abstractions;

namespace Faster.Crash.Faults;

/// <summary>
/// The n-th write, sync or deletion of a ledger fails while its log is truncated or an export is imported, for n = 1,
/// 2, 4, … until a run is clean: a typed error, and every retry works.
/// </summary>
public sealed class LedgerFaultTests(ITestOutputHelper output)
{
    private const int Rounds = 8, MendAfter = 3, MaxFailures = 100, States = 4;

    [Theory]
    [InlineData(LedgerFeature.Truncating, "Write", false)]
    [InlineData(LedgerFeature.Truncating, "Write", true)]
    [InlineData(LedgerFeature.Truncating, "Sync", false)]
    [InlineData(LedgerFeature.Truncating, "Delete", false)]
    [InlineData(LedgerFeature.TruncatingByAge, "Write", false)]
    [InlineData(LedgerFeature.TruncatingByAge, "Write", true)]
    [InlineData(LedgerFeature.TruncatingByAge, "Sync", false)]
    [InlineData(LedgerFeature.Importing, "Write", false)]
    [InlineData(LedgerFeature.Importing, "Write", true)]
    [InlineData(LedgerFeature.Importing, "Sync", false)]
    public async Task Acknowledged_operations_survive(LedgerFeature feature, string call, bool forEver)
    {
        int runs = 0, failures = 0, poisoned = 0;
        for (int n = 1; ; n += Math.Max(1, (int)(n / Math.Min(TestBudget.Factor, 8))))
        {
            var disk = new CrashDisk();
            var plan = new LedgerPlan(feature, Seed: 2 + TestSeed.First);
            (int failed, bool isPoisoned) =
                await RunAsync(disk, plan, new DiskFault(Enum.Parse<DiskCall>(call), n, forEver));
            string[] notes = [.. disk.Notes()];
            for (int seed = 0; seed < States; seed++)
            {
                string? wrong = await LedgerDisk.JudgeAsync(disk.CrashState(seed), plan, notes);
                Assert.True(wrong is null, $"n = {n}, run {TestSeed.Text(TestSeed.First)}, seed {seed}: {wrong}");
            }

            runs++;
            failures += failed;
            poisoned += isPoisoned ? 1 : 0;
            if (disk.Faults == 0) break;
        }

        output.WriteLine($"{feature}: {runs} runs, {failures} calls failed, {poisoned} runs were poisoned");
        Assert.True(runs > 2, "The workload hardly makes this call: the test shows nothing.");
    }

    private static async Task<(int Failures, bool IsPoisoned)> RunAsync(
        CrashDisk disk, LedgerPlan plan, DiskFault fault)
    {
        int failures = 0;
        bool isPoisoned = false;
        SteppedTime time = LedgerLife.TimeOf(1);
        await using FasterStore store = await LedgerDisk.OpenAsync(disk, plan, time);
        disk.Arm(fault);
        var run = new LedgerRun(plan, store, life: 1, time, disk.Mark, OnFailure);
        await run.GoAsync(Rounds).WaitAsync(TimeSpan.FromMinutes(1));
        disk.Arm(null);
        if (isPoisoned)
        {
            await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync());
            Assert.Equal(0, disk.SyncsAfterFailure);
        }
        else
        {
            Commit commit = await store.CommitAsync();
            CommitPoint point = commit.Points.Single(static point => point.SessionName == LedgerPlan.Session);
            disk.Mark(LedgerNotes.CommitOf(point.SerialNumber, begin: 0));
        }

        return (failures, isPoisoned);

        bool OnFailure(FasterException error)
        {
            int now = Interlocked.Increment(ref failures);
            if (now == MendAfter) disk.Arm(null);
            Assert.True(now < MaxFailures, $"It still fails: {error}");
            isPoisoned |= disk.HasSyncFailed && error is StorageException { MayRetry: false };
            return !isPoisoned;
        }
    }
}
