using Faster.Crash.Disk;
using Faster.Crash.Engine;
using Faster.Crash.Workloads;
using Faster.Devices.Folders;
using Faster.LogSessions;
using Faster.Tiers;

namespace Faster.Crash.Crashes;

/// <summary>A kind of run: its operations, its commits, and how its store is opened.</summary>
/// <param name="Name">Its name in reports.</param>
/// <param name="Plan">What the sessions do.</param>
/// <param name="Schedule">When commits come.</param>
/// <param name="Open">Opens the store of a folder, whatever is in it.</param>
internal sealed record RunKind(
    string Name, WorkloadPlan Plan, CommitSchedule Schedule, Func<StoreFiles, Task<IWorkStore>> Open)
{
    /// <summary>
    /// Whether points may exclude operations. These are not repeated here, so such a store does not go on.
    /// </summary>
    public bool IsRelaxed { get; init; }

    /// <summary>Whether it has so little memory that it must read from disk while it runs.</summary>
    public bool Spills { get; init; }

    /// <summary>Whether its compactions move values larger than a page.</summary>
    public bool MovesLarge { get; init; }

    /// <summary>
    /// Whether its commits are scanned beside the run, and after one recovery in this many; 0: they are not.
    /// </summary>
    public int ScansOneIn { get; init; }

    /// <summary>Whether its sessions change operation logs all the time, of which it has several.</summary>
    public bool SpreadsLogs { get; init; }

    /// <summary>
    /// Begins to make sessions change logs, and to slow down syncs, so that one is for records of several sessions.
    /// </summary>
    /// <returns>What ends it; null if the run does not need it.</returns>
    public LogHolder? HoldLogs(IWorkStore store, CrashDisk disk, int seed)
    {
        if (!SpreadsLogs) return null;
        disk.SyncTakes = TimeSpan.FromMilliseconds(1);
        return new LogHolder(((LogStoreCore)CoreOf(store)).Journal!.Logs, seed);
    }

    /// <summary>The parts of a store of the library.</summary>
    public static StoreCore CoreOf(IWorkStore store) => store switch
    {
        FasterWorkStore one => one.Store.Core,
        TieredWorkStore two => two.Core,
        _ => ((TransactionalWorkStore)store).Core,
    };

    /// <summary>Opens the store of a disk, which is unmounted if that fails.</summary>
    public Task<IWorkStore> OpenAsync(CrashDisk disk) => OpenAsync(disk.Mount());

    /// <summary>Opens the store of a folder, which is closed if that fails.</summary>
    public async Task<IWorkStore> OpenAsync(StoreFiles files)
    {
        try
        {
            return await Open(files);
        }
        catch
        {
            files.Dispose();
            throw;
        }
    }
}

/// <summary>A run on a crash disk, as events: what was done, and what was acknowledged to which session.</summary>
internal static class RecordedRun
{
    /// <summary>Runs and records, and checks that the store held what it should when nothing failed.</summary>
    /// <param name="kind">What to run.</param>
    /// <param name="omits">Which syncs to omit; none by default.</param>
    /// <param name="mount">Opens the folder whose events the disk takes; the disk's own by default.</param>
    public static async Task<CrashDisk> RecordAsync(
        RunKind kind, Func<DiskCall, string, bool>? omits = null, Func<CrashDisk, StoreFiles>? mount = null)
    {
        var disk = new CrashDisk { Reordering = new Random(kind.Plan.Seed), Omits = omits };
        await using IWorkStore store = await kind.OpenAsync(mount is null ? disk.Mount() : mount(disk));
        var run = new WorkloadRun(kind.Plan, kind.Schedule, store, points => Note(disk, points));
        var scans = new CommitScans(kind.Plan, store);
        using LogHolder? holder = kind.HoldLogs(store, disk, kind.Plan.Seed);
        if (kind.ScansOneIn != 0) Assert.Null(await scans.BesideAsync(run.GoAsync));
        else await run.GoAsync();
        SessionPoint[] end = [.. run.Done.Select(n => new SessionPoint(n, []))];
        Assert.Null(new Oracle(kind.Plan).Compare(store, end));
        Assert.True(holder?.HasSpread != false, "No session has changed its operation log.");
        // Runs with large values have too few keys to fill the log of the cold index.
        if (kind.MovesLarge) Assert.True(store.MovedLarge, "No value larger than a page was moved.");
        else Assert.True(store.HasMoved, $"Too little has moved: {store.Moves}.");
        int enough = kind.ScansOneIn != 0 ? kind.Schedule.Commits : 0;
        Assert.True(scans.Ended >= enough, $"{scans.Ended} scans as of commits; {scans.Refused} came too late.");
        return disk;
    }

    /// <summary>Notes on a disk that points were acknowledged.</summary>
    public static void Note(CrashDisk disk, SessionPoint[] points) => disk.Mark(SessionPoint.Format(points));

    /// <summary>What was acknowledged before a crash.</summary>
    public static IEnumerable<SessionPoint[]> Acknowledged(IEnumerable<string> notes) =>
        notes.Select(SessionPoint.Parse);
}
