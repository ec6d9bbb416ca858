using Faster.Crash.Disk;

namespace Faster.Crash.Crashes;

/// <summary>
/// A recorded run whose notes say what must be recovered of it: the power is cut all over it, and its process killed.
/// </summary>
/// <remarks>The first state that is not as it must be fails the test, and leaves the run's events in a file.</remarks>
/// <param name="run">The run.</param>
/// <param name="name">What it is called where it is reported.</param>
/// <param name="seed">The seed of its plan.</param>
/// <param name="recover">Recovers a state and judges it by notes; the number may choose how.</param>
internal sealed class NotedRun(
    CrashDisk run, string name, int seed, Func<CrashDisk, string[], int, Task<(string? Wrong, long Serial)>> recover)
{
    private const int Seeds = 24;

    /// <summary>Cuts the power at some of the boundaries, with some of what each may leave.</summary>
    /// <param name="most">About how often.</param>
    /// <returns>How often.</returns>
    public async Task<int> CutAsync(int most)
    {
        int states = 0;
        var scan = new CrashScan(run, 0, Seeds, most);
        foreach (CrashPoint point in scan.All())
        {
            int chosen = CrashLaboratory.SeedOf(point.Events, point.Seed);
            (string? wrong, _) = await recover(point.Disk, [.. point.Notes], chosen);
            if (wrong is not null) Fail($"{point.Events}:{point.Seed}", wrong);
            states++;
        }

        return states;
    }

    /// <summary>
    /// Kills the process at some of the boundaries, but not the power: recovers what it sees, cuts the power then, and
    /// recovers again, to no less.
    /// </summary>
    /// <param name="most">About how often.</param>
    /// <returns>How often.</returns>
    public async Task<int> KillAsync(int most)
    {
        int kills = 0, step = Math.Max(1, run.Events.Count / most);
        for (int events = seed % step; events < run.Events.Count; events += step)
        {
            string? wrong = await JudgeKilledAsync(events);
            if (wrong is not null) Fail($"{events}:kill", wrong);
            kills++;
        }

        return kills;
    }

    private async Task<string?> JudgeKilledAsync(int events)
    {
        CrashDisk killed = run.KillState(events, events);
        int before = killed.Events.Count;
        string[] notes = [.. killed.Notes()];
        (string? wrong, long serial) = await recover(killed, notes, events);
        if (wrong is not null) return $"After a kill: {wrong}";
        var random = new Random(events);
        int moment = random.Next(before, killed.Events.Count + 1);
        (wrong, long again) = await recover(killed.CrashState(random.Next(), moment), notes, events + 1);
        return wrong ?? (again < serial && moment == killed.Events.Count ? $"Recovered {serial}, then {again}." : null);
    }

    private void Fail(string at, string wrong) => Assert.Fail(
        $"{name}, seed {seed}, crash {at}: {wrong}\nThe events are in {TraceFile.Save(run, name, seed)}.");
}
