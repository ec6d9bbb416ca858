using Faster.Contracts;
using Faster.Crash.Engine;

namespace Faster.Crash.Workloads;

/// <summary>What the killed process does, by seed: the process and its killer both derive it from this.</summary>
/// <param name="Plan">What its sessions do.</param>
/// <param name="Schedule">How it commits.</param>
/// <param name="Options">How it opens its store.</param>
public sealed record KilledStore(WorkloadPlan Plan, CommitSchedule Schedule, StoreOptions Options)
{
    private bool HasTiers { get; init; }

    private bool IsColdApart { get; init; }

    private bool IsTransactional { get; init; }

    private CommitAlgorithm CommitAlgorithm { get; init; }

    /// <summary>
    /// The store of a seed: numbers or bytes, one kind of commit or all, enough memory or too little, commits on
    /// request or also periodic ones.
    /// </summary>
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

    /// <summary>The features that may run beside commits, by name; each with stores by seed.</summary>
    public static IReadOnlyList<string> Features { get; } =
    [
        "compacting", "compacting-large", "shrinking", "disk-budget", "large-values", "tiered", "tiered-apart",
        "tiered-large", "each-operation", "each-operation-large", "tiered-each-operation",
        "transactional", "transactional-calc", "transactional-each", "transactional-each-calc",
    ];

    /// <summary>Opens the store of a folder, whatever is in it.</summary>
    /// <param name="folder">The folder. A cold tier apart has one beside it.</param>
    public async Task<IWorkStore> OpenAsync(string folder)
    {
        if (IsTransactional)
        {
            TransactionalOptions own = (Plan.IsEachDurable
                ? TransactionalWorkStore.Logged
                : TransactionalWorkStore.Small) with
            {
                CommitEvery = Options.CommitEvery, CommitAlgorithm = CommitAlgorithm,
            };
            return await TransactionalWorkStore.OpenAsync(folder, own, Plan.Bytes).ConfigureAwait(false);
        }

        if (!HasTiers) return await FasterWorkStore.OpenAsync(folder, Options, Plan.Bytes).ConfigureAwait(false);
        TieredOptions options = TieredWorkStore.Small with
        {
            CommitEvery = Options.CommitEvery, ColdFolder = IsColdApart ? ColdFolderOf(folder) : null,
            Durability = Options.Durability, OperationLogSize = Options.OperationLogSize,
        };
        return await TieredWorkStore.OpenAsync(folder, options, Plan.Bytes).ConfigureAwait(false);
    }

    /// <summary>Where a cold tier apart from a folder lies.</summary>
    public static string ColdFolderOf(string folder) => folder + "-cold";

    /// <summary>The store of a seed that uses one feature all the time.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="feature">One of <see cref="Features"/>; null: the plain one.</param>
    public static KilledStore Of(int seed, string? feature)
    {
        KilledStore plain = Of(seed);
        StoreOptions little = plain.Options with { MemoryBudget = ByteSize.KiB(384) };
        WorkloadPlan bytes = plain.Plan with { Bytes = true, OwnKeys = 40, LongestFilling = 600 };

        // Shared values only grow: there are so many that none reaches a page.
        WorkloadPlan small = bytes with { LongestFilling = 150, SharedKeys = 1_500 };
        CommitSchedule alone = plain.Schedule with { CompactEvery = 0 };
        StoreOptions each = plain.Options with
        {
            MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4), Durability = Durability.EachOperation,
            OperationLogSize = ByteSize.KiB(128),
        };
        return feature switch
        {
            null => plain,
            "compacting" => new KilledStore(small, plain.Schedule with { CompactEvery = 1 }, little),
            "shrinking" => new KilledStore(
                bytes,
                alone with
                {
                    GrowBefore = [.. Enumerable.Range(1, 40).Select(static i => 2 * i)],
                    ShrinkBefore = [.. Enumerable.Range(1, 40).Select(static i => (2 * i) + 1)],
                },
                little),
            "disk-budget" => new KilledStore(
                small, alone with { BurstEvery = 0 },
                little with { PageSize = ByteSize.KiB(4), DiskBudget = ByteSize.KiB(512) }),
            "large-values" => new KilledStore(
                bytes with { OwnKeys = 6, SharedKeys = 4, LongestFilling = 1_500 }, alone,
                little with { PageSize = ByteSize.KiB(4) }),
            "compacting-large" => new KilledStore(
                bytes with { OwnKeys = 6, SharedKeys = 30, LongestFilling = 5_000 },
                plain.Schedule with { CompactEvery = 1 }, little with { PageSize = ByteSize.KiB(4) }),
            "tiered" or "tiered-apart" =>
                new KilledStore(small, plain.Schedule with { CompactEvery = 1 }, plain.Options)
                {
                    HasTiers = true, IsColdApart = feature != "tiered",
                },
            "tiered-large" => new KilledStore(
                bytes with { OwnKeys = 6, SharedKeys = 30, LongestFilling = 5_000 },
                plain.Schedule with { CompactEvery = 1 }, plain.Options)
            {
                HasTiers = true,
            },
            "each-operation" => new KilledStore(plain.Plan with { IsEachDurable = true }, plain.Schedule, each),
            "each-operation-large" => new KilledStore(
                bytes with { OwnKeys = 6, SharedKeys = 100, LongestFilling = 1_000, IsEachDurable = true },
                plain.Schedule, each with { MemoryBudget = ByteSize.MiB(2), OperationLogSize = ByteSize.KiB(512) }),
            "tiered-each-operation" => new KilledStore(
                small with { IsEachDurable = true }, plain.Schedule with { CompactEvery = 1 }, each)
            {
                HasTiers = true,
            },
            "transactional" or "transactional-each" => plain.OfTransactions(feature, CommitAlgorithm.Cpr),
            "transactional-calc" or "transactional-each-calc" => plain.OfTransactions(feature, CommitAlgorithm.Calc),
            _ => throw new ArgumentOutOfRangeException(nameof(feature), feature, "There is no such feature."),
        };
    }

    private KilledStore OfTransactions(string feature, CommitAlgorithm algorithm) => new(
        Plan with { Transfers = true, IsEachDurable = feature.Contains("-each", StringComparison.Ordinal) },
        Schedule with { CompactEvery = 0 }, Options)
    {
        IsTransactional = true, CommitAlgorithm = algorithm,
    };
}
