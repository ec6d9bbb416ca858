using Faster.Crash.Disk;
using Faster.Crash.Workloads;

namespace Faster.Crash.Crashes;

/// <summary>Recovers from crashes of a recorded run, and says what is wrong.</summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="kind">What was run.</param>
internal sealed class CrashJudge(RunKind kind)
{
    private const int Moments = 3; // of a second crash, for each first one
    private const int Compactions = 3; // of half of the log each, before a store that has gone on is scanned

    private static readonly CommitSchedule Afterwards = new() { Commits = 1, Rounds = 12, RoundsMeanwhile = 4 };

    private long _recoveries, _omitted, _scans;

    /// <summary>
    /// Which syncs the first recovery after a kill omits, as if their lines were missing; none by default.
    /// </summary>
    public Func<DiskCall, string, bool>? OmitsInRecovery { get; init; }

    /// <summary>How many syncs recoveries have omitted.</summary>
    public long Omitted => _omitted;

    /// <summary>How often a store was recovered.</summary>
    public long Recoveries => _recoveries;

    /// <summary>How many commits were scanned after recoveries.</summary>
    public long Scans => _scans;

    /// <summary>Recovers once.</summary>
    /// <returns>What is wrong, or null.</returns>
    public async Task<string?> RecoverAsync(CrashDisk disk, IReadOnlyList<string> notes) =>
        (await TryRecoverAsync(disk, notes)).Wrong;

    /// <summary>
    /// Recovers, cuts the power at some moment of the recovery, and recovers again, to the same state.
    /// </summary>
    /// <param name="disk">What the first crash has left, all of it durable.</param>
    /// <param name="notes">What had been noted before.</param>
    /// <param name="seed">Chooses the moment, and what the second crash leaves.</param>
    public async Task<string?> RecoverTwiceAsync(CrashDisk disk, IReadOnlyList<string> notes, int seed)
    {
        (string? wrong, SessionPoint[] first) = await TryRecoverAsync(disk, notes);
        if (wrong is not null) return wrong;
        var random = new Random(seed);
        for (int i = 0; i < Moments; i++)
        {
            int moment = random.Next(disk.Events.Count + 1);
            (wrong, SessionPoint[] second) = await TryRecoverAsync(disk.CrashState(random.Next(), moment), notes);
            if (wrong is not null) return $"After a crash at event {moment} of a recovery: {wrong}";
            if (!first.SequenceEqual(second))
            {
                return $"Recovered {SessionPoint.Format(first)}, and after a crash at event {moment} of that recovery "
                    + $"{SessionPoint.Format(second)}.";
            }
        }

        return null;
    }

    /// <summary>
    /// The process is killed without a power cut: recovers what a new process sees, then cuts the power, and recovers
    /// again. What the first recovery has reported to its clients must hold.
    /// </summary>
    /// <param name="run">The recorded run.</param>
    /// <param name="events">After how many events the process is killed.</param>
    /// <param name="seed">Chooses which writes were under way, the moment of the power cut, and what it leaves.</param>
    public async Task<string?> RecoverKilledAsync(CrashDisk run, int events, int seed)
    {
        CrashDisk killed = run.KillState(seed, events);
        int before = killed.Events.Count;
        killed.Omits = OmitsInRecovery;
        (string? wrong, _) = await TryRecoverAsync(killed, killed.Notes());
        Interlocked.Add(ref _omitted, killed.Omitted);
        if (wrong is not null) return $"After a kill: {wrong}";
        var random = new Random(seed);
        for (int i = 0; i < Moments; i++)
        {
            int moment = i == 0 ? killed.Events.Count : random.Next(before, killed.Events.Count + 1);
            CrashDisk cut = killed.CrashState(random.Next(), moment);
            (wrong, _) = await TryRecoverAsync(cut, killed.Notes(moment));
            if (wrong is not null) return $"After a kill, and a power cut {moment - before} events later: {wrong}";
        }

        return null;
    }

    /// <summary>
    /// Recovers, issues other operations than before, commits, and cuts the power again: nothing acknowledged is lost.
    /// </summary>
    /// <param name="disk">What the first crash has left.</param>
    /// <param name="notes">What had been noted before.</param>
    /// <param name="seed">Chooses the moment of the second crash, and what it leaves.</param>
    public async Task<string?> GoOnAsync(CrashDisk disk, IReadOnlyList<string> notes, int seed)
    {
        WorkloadPlan plan = kind.Plan;
        try
        {
            await using IWorkStore store = await kind.OpenAsync(disk);
            string? wrong = new Oracle(plan).Judge(
                store, RecordedRun.Acknowledged(notes), out SessionPoint[] points);
            wrong ??= await ScanAsync(plan, store);
            if (wrong is not null) return wrong;
            RecordedRun.Note(disk, points);
            plan = plan.TurnAt(points, seed);
            CommitSchedule schedule = Afterwards with { Kinds = kind.Schedule.Kinds, IndexEvery = 2 };
            var run = new WorkloadRun(plan, schedule, store, told => RecordedRun.Note(disk, told));
            using LogHolder? holder = kind.HoldLogs(store, disk, seed);
            await run.GoAsync();
            wrong = await ScanMovedAsync(plan, store);
            wrong ??= new Oracle(plan).Compare(store, [.. run.Done.Select(n => new SessionPoint(n, []))]);
            if (wrong is not null) return $"After going on: {wrong}";
        }
        catch (Exception e) when (e is FasterException or InvalidOperationException)
        {
            return $"Going on failed: {e.GetBaseException()}";
        }

        var random = new Random(seed);
        for (int i = 0; i < Moments; i++)
        {
            int moment = i == 0 ? disk.Events.Count : random.Next(disk.Events.Count + 1);
            CrashDisk cut = disk.CrashState(random.Next(), moment);
            (string? wrong, _) = await TryRecoverAsync(
                cut, [.. notes, .. disk.Notes(moment)], plan);
            if (wrong is not null) return $"After going on, and a crash at event {moment} of that: {wrong}";
        }

        return null;
    }

    // When what was written after the commits has moved as well, most of it.
    private async Task<string?> ScanMovedAsync(WorkloadPlan plan, IWorkStore store)
    {
        for (int i = 0; i < Compactions && kind.ScansOneIn != 0; i++) await store.CompactAsync();
        return await ScanAsync(plan, store);
    }

    // Of the commit that was recovered, and of those before it that are kept.
    private async Task<string?> ScanAsync(WorkloadPlan plan, IWorkStore store)
    {
        if (kind.ScansOneIn == 0 || Interlocked.Read(ref _recoveries) % kind.ScansOneIn != 0) return null;
        int scannable = store.Scannable.Count;
        Interlocked.Add(ref _scans, scannable);
        return scannable == 0 && store.Recovered is not null
            ? "The commit that was recovered can't be scanned."
            : await new Oracle(plan).ScanAllAsync(store);
    }

    private async Task<(string? Wrong, SessionPoint[] Points)> TryRecoverAsync(
        CrashDisk disk, IReadOnlyList<string> notes, WorkloadPlan? plan = null)
    {
        Interlocked.Increment(ref _recoveries);
        try
        {
            await using IWorkStore store = await kind.OpenAsync(disk);
            string? wrong = new Oracle(plan ?? kind.Plan).Judge(
                store, RecordedRun.Acknowledged(notes), out SessionPoint[] points);
            wrong ??= await ScanAsync(plan ?? kind.Plan, store);
            if (wrong is null) RecordedRun.Note(disk, points);
            return (wrong, points);
        }
        catch (FasterException e)
        {
            return ($"It could not be recovered: {e}", []);
        }
    }
}
