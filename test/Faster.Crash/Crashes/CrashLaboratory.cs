using System.Diagnostics;
using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>Records runs, crashes them everywhere, and judges what is recovered.</summary>
/// <param name="kind">What is run.</param>
/// <param name="output">Where figures go.</param>
internal sealed class CrashLaboratory(RunKind kind, ITestOutputHelper output)
{
    private const int MaxReported = 3;

    private readonly CrashJudge _judge = new(kind);
    private readonly List<string> _violations = [];
    private long _states, _again, _killed, _wentOn;

    /// <summary>The seed that chooses how a crash is judged, and further crashes after it.</summary>
    public static int SeedOf(int events, int seed) => (int)(DiskImage.Mix(((ulong)events << 20) + (uint)seed) >> 33);

    /// <summary>How many states were recovered.</summary>
    public long States => _states;

    /// <summary>How many boundaries the run has that was crashed last.</summary>
    public int Boundaries { get; private set; }

    /// <summary>At how many of them the power was cut.</summary>
    public int Covered { get; private set; }

    /// <summary>How often a store was recovered: from those states, and from crashes and kills after them.</summary>
    public long Recoveries => _judge.Recoveries;

    /// <summary>How many commits were scanned after these recoveries.</summary>
    public long Scans => _judge.Scans;

    /// <summary>Whether the run of a violation is saved.</summary>
    public bool KeepsTraces { get; init; } = true;

    /// <summary>What was wrong.</summary>
    public IReadOnlyList<string> Violations => _violations;

    /// <summary>
    /// Crashes a recorded run at every boundary; one state in eight is crashed again during its recovery, one in
    /// sixteen goes on and is crashed then. The process is also killed after every event, recovered, and loses power.
    /// </summary>
    /// <param name="run">The run.</param>
    /// <param name="seeds">How many states for each boundary, at most.</param>
    /// <param name="most">
    /// About the largest number of states: first one for each boundary, or for as many of them as this allows, spread
    /// over the run; kills are at most an eighth of it.
    /// </param>
    public async Task CrashEverywhereAsync(CrashDisk run, int seeds, int most = int.MaxValue)
    {
        long start = Stopwatch.GetTimestamp();
        var scan = new CrashScan(run, 0, seeds, most);
        await Parallel.ForEachAsync(scan.All(), (point, _) => JudgeAsync(run, point));
        (Covered, Boundaries) = (scan.Covered, scan.Boundaries);
        int step = Math.Max(1, run.Events.Count / Math.Max(most / 8, 1));
        IEnumerable<int> kills = Enumerable.Range(0, (run.Events.Count / step) + 1).Select(i => i * step);
        await Parallel.ForEachAsync(kills, (events, _) => KillAsync(run, events));
        output.WriteLine(
            $"{kind.Name} {kind.Plan.Seed}: {run.Events.Count} events, power cut at {Covered} of {Boundaries} "
            + $"boundaries; {_states} states ({scan.Repeated} repeated ones left out), {_again} of them crashed again "
            + $"in recovery, {_wentOn} after going on, {_killed} kills; {_violations.Count} violations; "
            + $"{Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s");
    }

    private async ValueTask JudgeAsync(CrashDisk run, CrashPoint point)
    {
        if (_violations.Count >= MaxReported) return;
        Interlocked.Increment(ref _states);
        int seed = SeedOf(point.Events, point.Seed);
        string? wrong;
        if (seed % 16 is 0 or 1)
        {
            Interlocked.Increment(ref _again);
            wrong = await _judge.RecoverTwiceAsync(point.Disk, point.Notes, seed);
        }
        else if (seed % 16 == 2 && !kind.IsRelaxed)
        {
            Interlocked.Increment(ref _wentOn);
            wrong = await _judge.GoOnAsync(point.Disk, point.Notes, seed);
        }
        else
        {
            wrong = await _judge.RecoverAsync(point.Disk, point.Notes);
        }

        if (wrong is not null) Report(run, $"{point.Events}:{point.Seed}", wrong);
    }

    private async ValueTask KillAsync(CrashDisk run, int events)
    {
        if (_violations.Count >= MaxReported) return;
        Interlocked.Increment(ref _killed);
        string? wrong = await _judge.RecoverKilledAsync(run, events, events);
        if (wrong is not null) Report(run, $"{events}:kill", wrong);
    }

    private void Report(CrashDisk run, string at, string wrong)
    {
        lock (_violations)
        {
            if (_violations.Count >= MaxReported) return;
            string trace = KeepsTraces ? TraceFile.Save(run, kind.Name, kind.Plan.Seed) : "(not kept)";
            _violations.Add($"{kind.Name}, crash {at}: {wrong}\n{ReplayTests.Command(trace, at)}");
        }
    }
}
