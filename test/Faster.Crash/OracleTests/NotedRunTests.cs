using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Ledgers;
using Faster.Engines;

namespace Faster.Crash.OracleTests;

/// <summary>What a recovery has reported must hold after the next crash: a store that breaks this is found.</summary>
public sealed class NotedRunTests
{
    private const int Rounds = 4, Seeds = 24, Salts = 8;
    private const long Never = 1_000_000;

    /// <summary>A recovery reports more than the next one finds, after a crash during it or after going on.</summary>
    [Fact]
    public async Task A_recovery_that_tells_too_much_is_found_by_the_next_one()
    {
        (CrashDisk run, NotedLedger ledger) = await RecordAsync();
        var honest = new NotedRun(run, ledger);
        var wrong = new NotedRun(run, new Wrong(ledger) { Tells = LedgerNotes.CommitOf(Never, begin: 0) });
        int again = 0;
        foreach (CrashPoint point in new CrashScan(run, 0, Seeds, 120).All())
        {
            int chosen = CrashLaboratory.SeedOf(point.Events, point.Seed) % 16;
            if (chosen > 2) continue; // recovered once, or after going on, which says nothing of the next recovery
            again++;
            string? found = await wrong.JudgeAsync(point);
            Assert.Contains($"{Never} was acknowledged", found, StringComparison.Ordinal);
            Assert.Contains("a power cut", found, StringComparison.Ordinal);
        }

        Assert.True(again > 5, $"Only {again} states were recovered again.");
        Assert.Contains(
            $"{Never} was acknowledged", await wrong.JudgeKilledAsync(run.Events.Count), StringComparison.Ordinal);
        Assert.Null(await honest.JudgeKilledAsync(run.Events.Count));
    }

    /// <summary>
    /// A recovery does not sync the names that it finds, though it reports what they contain: a power cut after a kill
    /// shows it.
    /// </summary>
    [Fact]
    public async Task A_recovery_that_does_not_sync_what_it_found_is_found_after_a_kill()
    {
        (CrashDisk run, NotedLedger ledger) = await RecordAsync();
        var wrong = new NotedRun(run, new Wrong(ledger)
        {
            Omits = static (call, path) => call == DiskCall.SyncNames && path == CrashFolder.Root,
        });
        var found = new List<string>();
        await Parallel.ForAsync(0, run.Events.Count + 1, async (events, _) =>
        {
            // Few moments lie between a commit's renaming and its sync, and not every power cut undoes the renaming.
            for (int salt = 0; salt < Salts; salt++)
            {
                if (await wrong.JudgeKilledAsync(events, salt) is not { } one) continue;
                lock (found) found.Add(one);
            }
        });
        Assert.Contains(found, static one => one.Contains("was acknowledged", StringComparison.Ordinal));
        Assert.All(found, static one => Assert.StartsWith("After a kill, a power cut", one, StringComparison.Ordinal));
    }

    private static async Task<(CrashDisk Run, NotedLedger Ledger)> RecordAsync()
    {
        var plan = new LedgerPlan(LedgerFeature.Truncating, TestSeed.First);
        var disk = new CrashDisk { Reordering = new Random(plan.Seed) };
        SteppedTime time = LedgerLife.TimeOf(1);
        await using FasterStore store = await LedgerDisk.OpenAsync(disk, plan, time);
        await new LedgerRun(plan, store, life: 1, time, disk.Mark).GoAsync(Rounds);
        return (disk, new NotedLedger(plan));
    }

    // A ledger whose recoveries report what is not there, or omit syncs.
    private sealed class Wrong(INotedStore store) : INotedStore
    {
        public string? Tells { get; init; }

        public Func<DiskCall, string, bool>? Omits { get; init; }

        public string Name => store.Name;

        public int Seed => store.Seed;

        public Task<string?> RecoverAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen) =>
            DoAsync(disk, () => store.RecoverAsync(disk, notes, chosen));

        public Task<string?> GoOnAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen) =>
            DoAsync(disk, () => store.GoOnAsync(disk, notes, chosen));

        private async Task<string?> DoAsync(CrashDisk disk, Func<Task<string?>> recover)
        {
            disk.Omits = Omits;
            string? wrong = await recover();
            if (Tells is not null) disk.Mark(Tells);
            return wrong;
        }
    }
}
