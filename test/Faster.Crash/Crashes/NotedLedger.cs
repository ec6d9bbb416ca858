using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Crash.Ledgers;
using Faster.Engines;

namespace Faster.Crash.Crashes;

/// <summary>A ledger. Thread-safe.</summary>
internal sealed record NotedLedger(LedgerPlan Plan) : INotedStore
{
    private const int Rounds = 3;

    public string Name => Plan.Feature.ToString();

    public int Seed => Plan.Seed;

    public async Task<string?> RecoverAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen) =>
        (await LedgerDisk.RecoverAsync(disk, Plan, notes)).Wrong;

    public async Task<string?> GoOnAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen)
    {
        if (await RecoverAsync(disk, notes, chosen) is { } wrong) return wrong;
        SteppedTime time = LedgerLife.TimeOf(2);
        await using FasterStore store = await LedgerDisk.OpenAsync(disk, Plan, time);
        await new LedgerRun(Plan, store, life: 2, time, disk.Mark).GoAsync(Rounds);
        return null;
    }
}
