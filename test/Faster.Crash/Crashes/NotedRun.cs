using Faster.Crash.Disk;

namespace Faster.Crash.Crashes;

/// <summary>
/// A recorded run whose notes say what must be recovered of it: the power is cut all over it, and its process killed.
/// </summary>
/// <remarks>
/// The first state that is not as it must be fails the test, and leaves the run's events in a file, by which
/// <see cref="ReplayTests"/> makes it again.
/// </remarks>
/// <param name="run">The run.</param>
/// <param name="store">The store, and how it is judged.</param>
internal sealed class NotedRun(CrashDisk run, INotedStore store)
{
    private const int Seeds = 24, Moments = 2; // of a second crash, for each first one

    private int _states, _kills, _again, _wentOn;

    public override string ToString() =>
        $"{_states} states, {_again} of them crashed again in recovery, {_wentOn} after going on, {_kills} kills";

    /// <summary>
    /// Cuts the power at the boundaries, or at as many as there are states; in one case of eight again while it
    /// recovers, and in one of sixteen after it has gone on.
    /// </summary>
    /// <param name="most">About how often.</param>
    /// <returns>How often.</returns>
    public async Task<int> CutAsync(int most)
    {
        var scan = new CrashScan(run, 0, Seeds, most);
        int before = _states;
        await Parallel.ForEachAsync(scan.All(), async (point, _) =>
        {
            Interlocked.Increment(ref _states);
            string? wrong = await JudgeAsync(point);
            if (wrong is not null) Fail($"{point.Events}:{point.Seed}", wrong);
        });
        Assert.Equal(Math.Min(most, scan.Boundaries), scan.Covered);
        return _states - before;
    }

    /// <summary>
    /// Kills the process at some of the boundaries, but not the power: recovers what it sees, cuts the power then, and
    /// recovers again, to no less than was told.
    /// </summary>
    /// <param name="most">About how often.</param>
    /// <returns>How often.</returns>
    public async Task<int> KillAsync(int most)
    {
        int step = Math.Max(1, run.Events.Count / most), before = _kills, first = store.Seed % step;
        IEnumerable<int> moments =
            Enumerable.Range(0, (run.Events.Count - first + step - 1) / step).Select(i => first + (i * step));
        await Parallel.ForEachAsync(moments, async (events, _) =>
        {
            Interlocked.Increment(ref _kills);
            string? wrong = await JudgeKilledAsync(events);
            if (wrong is not null) Fail($"{events}:kill", wrong);
        });
        return _kills - before;
    }

    /// <summary>Judges what one power cut has left.</summary>
    /// <returns>What is wrong, or null.</returns>
    public async Task<string?> JudgeAsync(CrashPoint point)
    {
        int chosen = CrashLaboratory.SeedOf(point.Events, point.Seed);
        bool goesOn = chosen % 16 == 2, isCutAgain = chosen % 16 is 0 or 1;
        if (goesOn) Interlocked.Increment(ref _wentOn);
        if (isCutAgain) Interlocked.Increment(ref _again);
        string? wrong = goesOn
            ? await store.GoOnAsync(point.Disk, point.Notes, chosen)
            : await store.RecoverAsync(point.Disk, point.Notes, chosen);
        if (wrong is not null || !(goesOn || isCutAgain)) return wrong;
        return await CutAgainAsync(
            point.Disk, moment => [.. point.Notes, .. point.Disk.Notes(moment)], from: 0, chosen);
    }

    /// <summary>Judges what one kill of the process has left, and a power cut after it.</summary>
    /// <param name="events">The number of events before the kill.</param>
    /// <param name="salt">Chooses among the states that the kill and the cut may leave.</param>
    /// <returns>What is wrong, or null.</returns>
    public async Task<string?> JudgeKilledAsync(int events, int salt = 0)
    {
        int chosen = CrashLaboratory.SeedOf(events, salt);
        CrashDisk killed = run.KillState(chosen, events);
        int before = killed.Events.Count;
        string? wrong = await store.RecoverAsync(killed, killed.Notes(), chosen);
        if (wrong is not null) return $"After a kill: {wrong}";
        wrong = await CutAgainAsync(killed, killed.Notes, before, chosen);
        return wrong is null ? null : $"After a kill, {wrong}";
    }

    // At the end, when all that was told of the recovery must hold, and at some moments before.
    private async Task<string?> CutAgainAsync(
        CrashDisk disk, Func<int, IReadOnlyList<string>> notes, int from, int chosen)
    {
        var random = new Random(chosen);
        int end = disk.Events.Count;
        for (int i = 0; i < Moments; i++)
        {
            int moment = i == 0 ? end : random.Next(from, end + 1);
            string? wrong = await store.RecoverAsync(
                disk.CrashState(random.Next(), moment), notes(moment), chosen + i + 1);
            if (wrong is not null) return $"a power cut {moment - from} of {end - from} events later: {wrong}";
        }

        return null;
    }

    private void Fail(string at, string wrong) => Assert.Fail(
        $"{store.Name}, seed {store.Seed}, crash {at}: {wrong}\n"
        + ReplayTests.Command(TraceFile.Save(run, store.Name, store.Seed), at));
}
