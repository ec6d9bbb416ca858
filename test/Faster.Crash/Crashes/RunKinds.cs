using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Opening;

namespace Faster.Crash.Crashes;

/// <summary>
/// The runs of the stores of FASTER and F2 that are crashed: each kind of commit, and what may run beside it.
/// </summary>
internal static class RunKinds
{
    /// <summary>The least memory, and small pages and segments.</summary>
    public static readonly StoreOptions Small = new()
    {
        MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ReadCacheFraction = 0,
    };

    private static readonly CommitKind[] AllKinds = Enum.GetValues<CommitKind>();

    /// <summary>The names of all kinds.</summary>
    public static IEnumerable<string> Names => All(1).Select(k => k.Name);

    /// <summary>A kind by name.</summary>
    public static RunKind Of(string name, int seed) => All(seed).Single(k => k.Name == name);

    /// <summary>A run of a store with a memory budget of its own.</summary>
    public static RunKind Make(
        string name, WorkloadPlan plan, CommitSchedule schedule, StoreOptions? options = null, int pages = 0) => new(
        name, plan, schedule, async files =>
        {
            FasterStore store = await Task.Run(() => StoreOpener.Open(
                files, (options ?? Small) with { CommitOnDispose = false }, // the schedule has all commits
                FasterWorkStore.SchemaOf(plan.Bytes, plan.Merges), mustExist: false, null, default));
            if (pages == 0) return new FasterWorkStore(store, plan.Bytes, merges: plan.Merges);

            // Fewer pages than the smallest budget has, so that short runs spill. Repeated, because the store takes
            // more when it may.
            void Narrow() => store.Log.SetMemory((long)pages << store.Core.MemoryPlan.PageBits);
            Narrow();
            return new FasterWorkStore(store, plan.Bytes, Narrow, plan.Merges);
        })
        {
            IsRelaxed = options?.PendingOrder == PendingOrder.Relaxed,
            Spills = pages != 0,
        };

    /// <summary>
    /// A run of small operation logs with a plan of its own: the store of a kind, and no commits but those that free
    /// the logs, unless it has a schedule.
    /// </summary>
    /// <param name="name">The kind, whose store has keys and values of bytes.</param>
    /// <param name="plan">What its sessions do.</param>
    /// <param name="schedule">When else it commits; null: never.</param>
    public static RunKind OfEachOperation(string name, WorkloadPlan plan, CommitSchedule? schedule = null) =>
        Of(name, plan.Seed) with
        {
            Plan = plan with { IsEachDurable = true, Bytes = true },
            Schedule = schedule ?? new CommitSchedule { Commits = 0, Kinds = AllKinds, CompactEvery = 0 },
        };

    /// <summary>A run of a tiered store, with so little memory that its tiers spill and its records move.</summary>
    private static RunKind MakeTiered(
        string name, WorkloadPlan plan, CommitSchedule schedule, double cacheFraction, string? coldFolder = null) =>
        new(
            name, plan, schedule, async files =>
            {
                TieredOptions options = TieredWorkStore.Small with
                {
                    ReadCacheFraction = cacheFraction, ColdFolder = coldFolder,
                    Durability = plan.IsEachDurable ? Durability.EachOperation : Durability.Commits,
                    OperationLogSize = plan.IsEachDurable ? ByteSize.KiB(256) : default,
                };
                TieredStore store = await Task.Run(() => TieredOpener.Open(
                    files, options, FasterWorkStore.SchemaOf(plan.Bytes, plan.Merges), mustExist: false, null, default,
                    (_, _) => ((CrashFolder)files).Disk.Mount(coldFolder + "/")));
                var tiered = new TieredWorkStore(store, plan.Bytes, TieredWorkStore.FewPages, plan.Merges);
                tiered.Narrow();
                return tiered;
            })
        {
            Spills = true, ScansOneIn = 1,
        };

    /// <summary>A run of a transactional store.</summary>
    private static RunKind MakeTransactional(
        string name, WorkloadPlan plan, CommitSchedule schedule, CommitAlgorithm algorithm) => new(
        name, plan with { Transfers = true }, schedule,
        files => Task.Run(IWorkStore () => TransactionalWorkStore.Open(
            files,
            (plan.IsEachDurable ? TransactionalWorkStore.Logged : TransactionalWorkStore.Small) with
            {
                CommitAlgorithm = algorithm,
            },
            plan.Bytes)))
        {
            ScansOneIn = 1,
        };

    private static IEnumerable<RunKind> All(int seed) =>
        [.. OfCommits(seed), .. OfEachOperation(seed), .. OfTransactions(seed)];

    private static IEnumerable<RunKind> OfTransactions(int seed)
    {
        var numbers = new WorkloadPlan { Seed = seed, OwnKeys = 16, SharedKeys = 12 };
        var schedule = new CommitSchedule { Commits = 4 + (seed % 7), Rounds = 60, RoundsMeanwhile = 30 };
        foreach (CommitAlgorithm algorithm in Enum.GetValues<CommitAlgorithm>())
        {
            string suffix = algorithm == CommitAlgorithm.Cpr ? "" : "-calc";
            yield return MakeTransactional("transactional" + suffix, numbers, schedule, algorithm);
            yield return MakeTransactional(
                "transactional-bytes" + suffix,
                numbers with { Bytes = true, LongestFilling = 200, SharedKeys = 40 },
                schedule with { BurstEvery = 2 }, algorithm);
            yield return MakeTransactional(
                "transactional-each" + suffix, numbers with { IsEachDurable = true },
                schedule with { Commits = 2 + (seed % 3), Rounds = 120 }, algorithm);
            yield return MakeTransactional(
                "transactional-bytes-each" + suffix,
                numbers with { IsEachDurable = true, Bytes = true, LongestFilling = 200, SharedKeys = 40 },
                schedule with { Commits = 2 + (seed % 3), BurstEvery = 2 }, algorithm);
        }

        yield return MakeTransactional(
            "transactional-growing", numbers with { OwnKeys = 1_000 }, schedule with { Rounds = 400 },
            CommitAlgorithm.Cpr);
    }

    // Commits of their own are few: the logs are so small that the store asks for the others.
    private static IEnumerable<RunKind> OfEachOperation(int seed)
    {
        var numbers = new WorkloadPlan { Seed = seed, IsEachDurable = true };
        WorkloadPlan bytes = numbers with { Bytes = true };
        WorkloadPlan large = bytes with { OwnKeys = 24, LongestFilling = 240, SharedKeys = 40 };
        var schedule = new CommitSchedule
        {
            Commits = 2 + (seed % 3), Kinds = AllKinds, Rounds = 120, RoundsMeanwhile = 60, IndexEvery = 2,
        };
        StoreOptions options = Small with
        {
            MemoryBudget = ByteSize.MiB(1), Durability = Durability.EachOperation, OperationLogSize = ByteSize.KiB(64),
        };
        yield return Make("each-operation", numbers, schedule with { BurstEvery = 3 }, options);
        yield return Make(
            "each-operation-spilling", large, schedule with { CompactEvery = 2 },
            options with { OperationLogSize = ByteSize.KiB(128) }, pages: 6);
        yield return Make(
            "each-operation-large", bytes with { OwnKeys = 6, SharedKeys = 20, LongestFilling = 3_000 },
            schedule with { Rounds = 40, RoundsMeanwhile = 20 },
            options with { MemoryBudget = ByteSize.MiB(2), OperationLogSize = ByteSize.KiB(256) }, pages: 6);
        yield return Make(
            "each-operation-merged", large with { Merges = true }, schedule,
            options with { OperationLogSize = ByteSize.KiB(128) }, pages: 6);
        yield return Make(
            "each-operation-logs", bytes with { Sessions = 6, OwnKeys = 4, SharedKeys = 3, LongestFilling = 20 },
            schedule with { Rounds = 30, RoundsMeanwhile = 15 },
            options with { MemoryBudget = ByteSize.MiB(4), OperationLogSize = ByteSize.MiB(2) }) with
        {
            SpreadsLogs = true,
        };
        yield return MakeTiered(
            "tiered-each-operation", large, schedule with { CompactEvery = 1, Commits = 4, Rounds = 60 },
            cacheFraction: 0);
    }

    private static IEnumerable<RunKind> OfCommits(int seed)
    {
        var numbers = new WorkloadPlan { Seed = seed };
        var bytes = new WorkloadPlan { Seed = seed, Bytes = true };
        var large = bytes with { OwnKeys = 24, LongestFilling = 240, SharedKeys = 40 };
        var schedule = new CommitSchedule { Commits = 4 + (seed % 7), Kinds = AllKinds };
        var spilling = schedule with { Rounds = 40, RoundsMeanwhile = 20, BurstEvery = 4 };
        yield return Make("fold-over", numbers, schedule with { Kinds = [CommitKind.FoldOver] });
        yield return Make("snapshot", numbers, schedule with { Kinds = [CommitKind.Snapshot] });
        yield return Make("incremental", numbers, schedule with { Kinds = [CommitKind.Incremental] });
        yield return Make("mixed-bytes", bytes, schedule with { IndexEvery = 2, BurstEvery = 2 });
        yield return Make(
            "growing", numbers with { OwnKeys = 400 },
            schedule with { IndexEvery = 2, Rounds = 60, GrowBefore = [2, 4] });
        yield return Make(
            "shrinking", numbers with { OwnKeys = 400 },
            schedule with { IndexEvery = 2, Rounds = 60, GrowBefore = [1, 3], ShrinkBefore = [2, 3, 4] });
        yield return Make(
            "shrinking-spilling", large, spilling with { GrowBefore = [2, 4], ShrinkBefore = [1, 2, 3] }, pages: 6);
        yield return Make("spilling", large, spilling, pages: 6);
        yield return Make(
            "spilling-relaxed", large, spilling, Small with { PendingOrder = PendingOrder.Relaxed }, pages: 6);
        yield return Make(
            "spilling-cached", large, spilling with { IndexEvery = 2 }, Small with { ReadCacheFraction = 0.5 },
            pages: 6);
        yield return Make("compacting", large, spilling with { CompactEvery = 2 }, pages: 6);
        yield return Make(
            "compacting-cached", large, spilling with { IndexEvery = 2, CompactEvery = 1 },
            Small with { ReadCacheFraction = 0.5 }, pages: 6);
        yield return Make(
            "compacting-merged", large with { Merges = true }, spilling with { CompactEvery = 2 }, pages: 6);
        yield return Make(
            "disk-budget", large with { LongestFilling = 1500 }, spilling with { BurstEvery = 0 },
            Small with { DiskBudget = ByteSize.KiB(256) }, pages: 6);
        yield return Make(
            "large-values", bytes with { OwnKeys = 6, SharedKeys = 4, LongestFilling = 1_500 },
            schedule with { Rounds = 16, RoundsMeanwhile = 8 }, pages: 6);
        yield return Make(
            "compacting-large", bytes with { OwnKeys = 6, SharedKeys = 8, LongestFilling = 14_000 },
            schedule with { Rounds = 12, RoundsMeanwhile = 8, CompactEvery = 1 }, pages: 6) with { MovesLarge = true };
        yield return Make(
            "append-only", bytes, schedule with { Kinds = [CommitKind.FoldOver] },
            Small with { Allocator = RecordAllocatorKind.AppendOnly });
        yield return MakeTiered("tiered", large, spilling with { IndexEvery = 2, CompactEvery = 1 }, cacheFraction: 0);
        yield return MakeTiered("tiered-cached", large, spilling with { CompactEvery = 1 }, cacheFraction: 0.5);
        yield return MakeTiered(
            "tiered-merged", large with { Merges = true }, spilling with { CompactEvery = 1 }, cacheFraction: 0);
        yield return MakeTiered(
            "tiered-apart", large, spilling with { CompactEvery = 1 }, cacheFraction: 0, coldFolder: "far");
        yield return MakeTiered(
            "tiered-large", bytes with { OwnKeys = 6, SharedKeys = 8, LongestFilling = 14_000 },
            schedule with { Rounds = 12, RoundsMeanwhile = 8, CompactEvery = 1 }, cacheFraction: 0)
            with
            {
                MovesLarge = true, ScansOneIn = 4, // a scan of these takes longer than the recovery
            };
    }
}
