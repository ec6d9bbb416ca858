using System.Globalization;
using Faster.Checkpoints.Files;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;
using Faster.Operations;

namespace Faster.Crash.Damage;

/// <summary>A small store at rest that tests damage, and what must be true of it then.</summary>
/// <remarks>
/// Like every store at rest it has two commits, the newest and the one before, with one acknowledged point each. What
/// is recovered is exactly one of the two, never a state in between, and never less. Thread-safe once made.
/// </remarks>
internal sealed class DamagedStore
{
    private readonly RunKind _kind;
    private readonly bool _hasChain; // a commit needs the snapshots of all before it
    private readonly long _version;
    private readonly SessionPoint[] _newest;

    private DamagedStore(RunKind kind, RunKind fallingBack, CrashDisk run)
    {
        _kind = kind;
        _hasChain = kind.Schedule.Kinds.Contains(CommitKind.Incremental);
        FallingBack = fallingBack;
        AtRest = run.CrashState(1).Live;
        Before = run.CrashState(1, run.Events.Count / 2).Live;
        byte[] records = AtRest.Find(CommitsFile.Name)!.ToArray();
        long[] versions = CommitsFile.Versions(records);
        Assert.Equal(versions[^2] + 1, versions[^1]);
        _version = versions[^1];
        NewestCopies = CommitsFile.CopiesOf(records, _version);
        NewestBytes = CommitsFile.BytesOf(records, _version);
        SessionPoint[][] told = [.. RecordedRun.Acknowledged(run.Notes())];
        (_newest, Older) = (told[^1], told[^2]);
        Assert.NotEqual(_newest, Older);
    }

    /// <summary>What counters call damage to both copies of the newest commit's record.</summary>
    public const string BothCopies = CommitsFile.Name + "-twice";

    /// <summary>Where the copies of the newest commit's record begin, and how many bytes each takes.</summary>
    public long[] NewestCopies { get; }

    /// <inheritdoc cref="NewestCopies"/>
    public int NewestBytes { get; }

    /// <summary>The points of the commit before the newest one.</summary>
    public SessionPoint[] Older { get; }

    /// <summary>The kind of its run, opened with an older commit allowed.</summary>
    public RunKind FallingBack { get; }

    /// <summary>The disk at rest.</summary>
    public DiskImage AtRest { get; }

    /// <summary>An earlier state of the disk, for stale sectors.</summary>
    public DiskImage Before { get; }

    /// <summary>The files, in order of their names.</summary>
    public IEnumerable<string> Files => AtRest.Names.Keys.Order(StringComparer.Ordinal);

    /// <summary>Makes a store by a run that ends with a commit of a kind.</summary>
    public static async Task<DamagedStore> MakeAsync(bool bytes, CommitKind last, bool withIndex)
    {
        var plan = new WorkloadPlan { Seed = 6 + TestSeed.First, Bytes = bytes, LongestFilling = 20, OwnKeys = 5 };
        var schedule = new CommitSchedule
        {
            Commits = 3, Rounds = 10, RoundsMeanwhile = 0, Kinds = [last], IndexEvery = withIndex ? 1 : 0,
        };
        var options = new StoreOptions
        {
            MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        };
        RunKind kind = RunKinds.Make($"damage-{last}", plan, schedule, options);
        RunKind fallingBack = RunKinds.Make("damage", plan, schedule, options with { AllowOlderCommit = true });
        return new DamagedStore(kind, fallingBack, await RecordedRun.RecordAsync(kind));
    }

    /// <summary>
    /// Whether a verdict is the right one for one flipped bit in a file: every bit is under a checksum, and each record
    /// of a commit is there twice.
    /// </summary>
    public bool MayBe(string name, bool fallBack, Verdict verdict)
    {
        if (name == CommitsFile.Name) return verdict == Verdict.Harmless;
        if (name == BothCopies) return verdict == (fallBack ? Verdict.FellBack : Verdict.Detected);
        bool isShared = StoreFileNames.IsSegment(name) || name == StoreMetadata.FileName;
        long version = isShared ? 0 : long.Parse(name.Split('.')[1], CultureInfo.InvariantCulture);
        bool isInChain = _hasChain && StoreFileNames.IsSnapshot(name);
        bool isOfNewest = isShared || version == _version || isInChain;
        bool isOfOlder = isShared || version == _version - 1 || (isInChain && version < _version);
        return verdict switch
        {
            Verdict.Harmless => !isOfNewest,
            Verdict.Detected => isOfNewest && (!fallBack || isOfOlder),

            // The older commit needs only the log that existed then.
            Verdict.FellBack => isOfNewest && fallBack && (!isOfOlder || StoreFileNames.IsSegment(name)),
            _ => false,
        };
    }

    /// <summary>Opens a damaged disk and reads every key.</summary>
    /// <returns>The verdict; the second part says what is wrong, or is null.</returns>
    public async Task<(Verdict Verdict, string? Wrong)> OpenAsync(DiskImage damaged, bool fallBack)
    {
        RunKind kind = fallBack ? FallingBack : _kind;
        try
        {
            await using var store = (FasterWorkStore)await kind.OpenAsync(new CrashDisk(damaged));
            RecoveryReport? report = store.Store.Recovery;
            bool isOlder = report is { Skipped.Count: > 0 };
            if (isOlder && !fallBack) return (Verdict.Silent, "An older commit was taken, which nobody allowed.");
            if (report?.Version != (isOlder ? _version - 1 : _version))
                return (Verdict.Silent, $"Commit {report?.Version} was recovered, of {_version}.");
            SessionPoint[] told = isOlder ? Older : _newest;
            string? wrong = new Oracle(kind.Plan).Judge(store, [told], out SessionPoint[] points);
            if (wrong is null && !points.SequenceEqual(told))
                wrong = $"{SessionPoint.Format(points)} was recovered, not {SessionPoint.Format(told)}.";
            if (wrong is not null) return (Verdict.Silent, wrong);
            return (isOlder ? Verdict.FellBack : Verdict.Harmless, null);
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

/// <summary>The result of a damage.</summary>
internal enum Verdict
{
    /// <summary>Everything is right: nothing needs the damaged bytes.</summary>
    Harmless,

    /// <summary>A typed error.</summary>
    Detected,

    /// <summary>An older commit, whole, and a report that says so.</summary>
    FellBack,

    /// <summary>Something wrong without an error.</summary>
    Silent,
}
