using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Crash.Leases;
using Faster.Engines;

namespace Faster.Crash.Crashes;

/// <summary>A store of leases. Thread-safe.</summary>
internal sealed record NotedLease(LeasePlan Plan) : INotedStore
{
    private const int Rounds = 3;

    public string Name => LeasePlan.Feature;

    public int Seed => Plan.Seed;

    public async Task<string?> RecoverAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen) =>
        (await LeaseDisk.RecoverAsync(disk, Plan, notes, chosen)).Wrong;

    public async Task<string?> GoOnAsync(CrashDisk disk, IReadOnlyList<string> notes, int chosen)
    {
        if (await RecoverAsync(disk, notes, chosen) is { } wrong) return wrong;
        LeaseTime time = LeaseTime.OfLife(2);
        await using FasterStore store = await LeaseDisk.OpenAsync(disk, Plan, time);
        await new LeaseRun(Plan, store, life: 2, time, disk.Mark).GoAsync(Rounds);
        return null;
    }
}
