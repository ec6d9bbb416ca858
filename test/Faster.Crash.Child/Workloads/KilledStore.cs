namespace Faster.Crash.Workloads;

/// <summary>What the process that is killed does, by seed: both it and its killer know it from this.</summary>
/// <param name="Plan">What its sessions do.</param>
/// <param name="Schedule">How it commits.</param>
/// <param name="Options">How it opens its store.</param>
public sealed record KilledStore(WorkloadPlan Plan, CommitSchedule Schedule, StoreOptions Options)
{
    /// <summary>The store of a seed: numbers or bytes, each kind of commit or all, memory enough or too little,
    /// commits when asked or by themselves, too.</summary>
    public static KilledStore Of(int seed)
    {
        bool bytes = seed % 2 == 1;
        CommitKind[][] kinds =
        [
            [CommitKind.FoldOver], [CommitKind.Snapshot], [CommitKind.Incremental], Enum.GetValues<CommitKind>(),
        ];
        var plan = new WorkloadPlan
        {
            Seed = seed, Bytes = bytes, OwnKeys = bytes ? 40 : 400, SharedKeys = 64, LongestFilling = 60,
        };
        return new KilledStore(
            plan,
            new CommitSchedule { Kinds = kinds[seed / 2 % kinds.Length], BurstEvery = 5, CompactEvery = seed % 4 },
            new StoreOptions
            {
                MemoryBudget = seed % 3 == 0 ? ByteSize.KiB(384) : ByteSize.MiB(2),
                PageSize = ByteSize.KiB(8),
                SegmentSize = ByteSize.KiB(128),
                CommitEvery = seed % 5 == 4 ? TimeSpan.FromMilliseconds(2) : TimeSpan.Zero,
            });
    }
}
