using System.Globalization;
using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Crashes;

/// <summary>
/// Repeats one crash of a saved run of a workload, a ledger or leases: FASTER_CRASH_TRACE names the file,
/// FASTER_CRASH_AT the event and the seed, as a failed test printed them.
/// </summary>
public sealed class ReplayTests(ITestOutputHelper output)
{
    /// <summary>The variable that names the file.</summary>
    internal const string TraceVariable = "FASTER_CRASH_TRACE";

    private const string AtVariable = "FASTER_CRASH_AT", Kill = "kill";

    /// <summary>The file, or null.</summary>
    internal static string? Trace => Environment.GetEnvironmentVariable(TraceVariable);

    [ReplayFact]
    public async Task The_crash_that_the_environment_names()
    {
        string? wrong = await JudgeAsync(Trace!, Environment.GetEnvironmentVariable(AtVariable)!, output);
        Assert.True(wrong is null, wrong); // an assertion of null would show the first words only
    }

    /// <summary>The command that repeats a crash of a saved run.</summary>
    internal static string Command(string trace, string at) =>
        $"Replay it: {TraceVariable}={trace} {AtVariable}={at} dotnet test test/Faster.Crash -c Release "
        + "--filter FullyQualifiedName~ReplayTests";

    /// <summary>Repeats a crash of a saved run, and judges what is recovered.</summary>
    /// <param name="trace">The file.</param>
    /// <param name="at">After how many events, a colon, and the seed, or the word kill.</param>
    /// <param name="output">Where the last events go.</param>
    /// <returns>What is wrong, or null.</returns>
    internal static async Task<string?> JudgeAsync(string trace, string at, ITestOutputHelper output)
    {
        (string name, CrashDisk run) = TraceFile.Load(trace);
        string[] words = at.Split(':');
        int events = int.Parse(words[0], CultureInfo.InvariantCulture);
        int? seed = words[1] == Kill ? null : int.Parse(words[1], CultureInfo.InvariantCulture);
        foreach (DiskEvent e in run.Events.Take(events).TakeLast(40)) output.WriteLine(e.ToString());
        if (seed is { } left)
        {
            DiskImage image = run.CrashState(left, events).Live;
            foreach ((string file, int number) in image.Names)
                output.WriteLine($"left: {file} of {image.Files[number].Length} bytes");
        }

        int planSeed = TraceFile.SeedOf(trace);
        return INotedStore.Find(name, planSeed) is { } noted
            ? await JudgeAsync(new NotedRun(run, noted), run, events, seed)
            : await JudgeAsync(RunKinds.Of(name, planSeed), run, events, seed);
    }

    private static Task<string?> JudgeAsync(NotedRun noted, CrashDisk run, int events, int? seed) => seed is { } chosen
        ? noted.JudgeAsync(new CrashPoint(events, chosen, run.CrashState(chosen, events), run.Notes(events)))
        : noted.JudgeKilledAsync(events);

    private static async Task<string?> JudgeAsync(RunKind kind, CrashDisk run, int events, int? seed)
    {
        var judge = new CrashJudge(kind);
        if (seed is not { } chosen) return await judge.RecoverKilledAsync(run, events, events);
        int inner = CrashLaboratory.SeedOf(events, chosen);
        IReadOnlyList<string> notes = run.Notes(events);
        string? wrong = await judge.RecoverAsync(run.CrashState(chosen, events), notes);
        wrong ??= await judge.RecoverTwiceAsync(run.CrashState(chosen, events), notes, inner);
        if (wrong is not null || kind.IsRelaxed) return wrong;
        return await judge.GoOnAsync(run.CrashState(chosen, events), notes, inner);
    }
}
