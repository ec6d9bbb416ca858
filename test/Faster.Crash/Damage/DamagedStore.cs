using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;

namespace Faster.Crash.Damage;

/// <summary>A small store at rest, to be damaged, and what must be true of it then.</summary>
/// <remarks>Thread-safe once made.</remarks>
internal sealed class DamagedStore
{
    private readonly RunKind _kind;
    private readonly SessionPoint[] _newest;

    private DamagedStore(RunKind kind, RunKind fallingBack, CrashDisk run)
    {
        _kind = kind;
        FallingBack = fallingBack;
        AtRest = run.CrashState(1).Live;
        Before = run.CrashState(1, run.Events.Count / 2).Live;
        _newest = RecordedRun.Acknowledged(run.Notes()).Last();
    }

    /// <summary>The kind of its run, opened so that an older commit may be taken.</summary>
    public RunKind FallingBack { get; }

    /// <summary>What lies on the disk.</summary>
    public DiskImage AtRest { get; }

    /// <summary>What lay there earlier, for stale sectors.</summary>
    public DiskImage Before { get; }

    /// <summary>The files, in order of their names.</summary>
    public IEnumerable<string> Files => AtRest.Names.Keys.Order(StringComparer.Ordinal);

    /// <summary>Makes a store by a run that ends with a commit of a kind.</summary>
    public static async Task<DamagedStore> MakeAsync(bool bytes, CommitKind last, bool withIndex)
    {
        var plan = new WorkloadPlan { Seed = 7, Bytes = bytes, LongestFilling = 20, OwnKeys = 5 };
        var schedule = new CommitSchedule
        {
            Commits = 3, Rounds = 10, RoundsMeanwhile = 0, Kinds = [last], IndexEvery = withIndex ? 1 : 0,
        };
        var options = new StoreOptions
        {
            MemoryBudget = StoreOptions.LeastMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        };
        RunKind kind = RunKinds.Make($"damage-{last}", plan, schedule, options);
        RunKind fallingBack = RunKinds.Make("damage", plan, schedule, options with { FallBack = true });
        return new DamagedStore(kind, fallingBack, await RecordedRun.RecordAsync(kind));
    }

    /// <summary>Opens what a damage has left, and reads every key.</summary>
    /// <returns>How it was found or borne; or, by the second part, what is wrong.</returns>
    public async Task<(Verdict Verdict, string? Wrong)> OpenAsync(DiskImage damaged, bool fallBack)
    {
        RunKind kind = fallBack ? FallingBack : _kind;
        try
        {
            await using var store = (EngineStore)await kind.OpenAsync(new CrashDisk(damaged));
            bool older = store.Store.Recovery is { Skipped.Count: > 0 };
            SessionPoint[][] told = older ? [] : [_newest];
            string? wrong = new Oracle(kind.Plan).Judge(store, told, out _);
            if (wrong is not null) return (Verdict.Silent, wrong);
            return (older ? Verdict.FellBack : Verdict.Harmless, null);
        }
        catch (DamagedDataException e)
        {
            bool isNamed = !string.IsNullOrEmpty(e.Path);
            return (Verdict.Detected, isNamed ? null : $"The error names no file: {e.Message}");
        }
        catch (FasterException e)
        {
            return (Verdict.Detected, e is StoreOpenException ? null : $"Not the right error: {e}");
        }
    }
}

/// <summary>What came of a damage.</summary>
internal enum Verdict
{
    /// <summary>Everything is as it should be: nothing needs the damaged bytes.</summary>
    Harmless,

    /// <summary>A typed error.</summary>
    Detected,

    /// <summary>An older commit, whole, and a report that says so.</summary>
    FellBack,

    /// <summary>Something wrong without an error.</summary>
    Silent,
}
