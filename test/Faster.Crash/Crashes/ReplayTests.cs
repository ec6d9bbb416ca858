using System.Globalization;
using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// Looks at one crash of a saved run again: FASTER_CRASH_TRACE names the file, FASTER_CRASH_AT event and seed, as a
/// failed test printed them.
/// </summary>
public sealed class ReplayTests(ITestOutputHelper output)
{
    [Fact]
    public async Task The_crash_that_the_environment_names()
    {
        if (Environment.GetEnvironmentVariable("FASTER_CRASH_TRACE") is not { } path) return;
        string[] at = Environment.GetEnvironmentVariable("FASTER_CRASH_AT")!.Split(':');
        int events = int.Parse(at[0], CultureInfo.InvariantCulture);
        (string name, CrashDisk run) = TraceFile.Load(path);
        RunKind kind = RunKinds.Of(name, TraceFile.SeedOf(path));
        foreach (DiskEvent e in run.Events.Take(events).TakeLast(40)) output.WriteLine(e.ToString());
        var judge = new CrashJudge(kind);
        if (at[1] == "kill")
        {
            Assert.Null(await judge.RecoverKilledAsync(run, events, events));
            return;
        }

        int seed = int.Parse(at[1], CultureInfo.InvariantCulture);
        CrashDisk disk = run.CrashState(seed, events);
        foreach ((string file, int number) in disk.Live.Names)
            output.WriteLine($"left: {file} of {disk.Live.Files[number].Length} bytes");
        int inner = CrashLaboratory.SeedOf(events, seed);
        Assert.Null(await judge.RecoverAsync(run.CrashState(seed, events), run.Notes(events)));
        Assert.Null(await judge.RecoverTwiceAsync(run.CrashState(seed, events), run.Notes(events), inner));
        if (kind.IsRelaxed) return;
        Assert.Null(await judge.GoOnAsync(run.CrashState(seed, events), run.Notes(events), inner));
    }
}
