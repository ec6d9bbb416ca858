using System.Diagnostics;
using System.Globalization;
using Faster.Contracts;
using Faster.Crash.Leases;
using Faster.Probes;

namespace Faster.Crash.Swarm;

/// <summary>
/// Runs many stores: <c>swarm --seed S --stores N --parallel P --seconds T --folder F --known FAULTS</c>.
/// </summary>
internal static class SwarmCommand
{
    /// <summary>The argument that selects it.</summary>
    public const string Name = "swarm";

    /// <summary>The argument that names known faults.</summary>
    public const string Known = "--known";

    private const int MaxLines = 12;

    private static readonly TimeSpan LongestStore = TimeSpan.FromMinutes(5);

    /// <summary>Runs the stores that the arguments select, and prints what was found.</summary>
    /// <returns>The exit status: 1 if a promise was broken.</returns>
    public static async Task<int> MainAsync(string[] arguments)
    {
        int seed = Number(arguments, "--seed", 1), stores = Number(arguments, "--stores", 20);
        int parallel = Number(arguments, "--parallel", 1), seconds = Number(arguments, "--seconds", int.MaxValue);
        string folder = Argument(arguments, "--folder") ?? Path.Combine(Path.GetTempPath(), "faster-swarm");
        var counters = new SwarmTally { Known = KnownOf(arguments) };
        long start = Stopwatch.GetTimestamp();
        int violations = await RunAsync(
            Enumerable.Range(seed, stores), parallel, folder, counters, Console.WriteLine,
            () => Stopwatch.GetElapsedTime(start).TotalSeconds < seconds).ConfigureAwait(false);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{counters}; {violations} violations; {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s"));
        return violations == 0 ? 0 : 1;
    }

    /// <summary>Runs stores.</summary>
    /// <param name="seeds">Their seeds.</param>
    /// <param name="parallel">How many at a time.</param>
    /// <param name="folder">Where they lie.</param>
    /// <param name="counters">Counts.</param>
    /// <param name="tell">Called with a description of each violation.</param>
    /// <param name="goesOn">Whether another store may begin.</param>
    /// <returns>How many have broken a promise.</returns>
    public static async Task<int> RunAsync(
        IEnumerable<int> seeds, int parallel, string folder, SwarmTally counters, Action<string> tell,
            Func<bool> goesOn)
    {
        int violations = 0;
        var options = new ParallelOptions { MaxDegreeOfParallelism = parallel };
        await Parallel.ForEachAsync(seeds, options, async (seed, _) =>
        {
            if (!goesOn()) return;
            if (await TryAsync(seed, folder, counters).ConfigureAwait(false) is not { } violation) return;
            Interlocked.Increment(ref violations);
            tell(Describe(seed, violation));
        }).ConfigureAwait(false);
        return violations;
    }

    /// <summary>The faults that the arguments call known.</summary>
    public static SwarmFault[] KnownOf(string[] arguments) =>
    [
        .. (Argument(arguments, Known) ?? string.Empty)
            .Split(',', StringSplitOptions.RemoveEmptyEntries).Select(Enum.Parse<SwarmFault>),
    ];

    /// <summary>Runs the store of a seed.</summary>
    /// <returns>The promise that it has broken, or null.</returns>
    public static async Task<SwarmViolation?> TryAsync(int seed, string folder, SwarmTally counters)
    {
        SwarmPlan plan = SwarmPlan.Of(seed);
        string path = Path.Combine(folder, string.Create(
            CultureInfo.InvariantCulture, $"{Environment.ProcessId}-{seed}"));
        if (plan.End == SwarmEnd.Killed && !Probe.On)
            return await TryAsync(() => SwarmProcess.GoAsync(plan, path, counters)).ConfigureAwait(false);
        using ISwarmMedium medium = plan.End == SwarmEnd.Closed
            ? new SwarmFolder(path)
            : new SwarmDisk(seed, counters);
        LeaseTime? clock = plan.Expires ? new LeaseTime() : null;
        var run = new SwarmRun(plan, medium, new SwarmHistory { IsEachDurable = plan.IsEachDurable }, clock, counters);
        return await TryAsync(run.GoAsync).ConfigureAwait(false);
    }

    /// <summary>Runs a body that throws a violation if a promise was broken.</summary>
    public static async Task<SwarmViolation?> TryAsync(Func<Task> run)
    {
        try
        {
            await Task.Run(run).WaitAsync(LongestStore).ConfigureAwait(false);
            return null;
        }
        catch (SwarmViolation violation)
        {
            return violation;
        }
        catch (TimeoutException e)
        {
            return new SwarmViolation(SwarmFault.Hang, "The store does not get on.", e);
        }
        catch (Exception e)
        {
            return new SwarmViolation(SwarmFault.FailedCall, e.Message, e);
        }
    }

    /// <summary>A violation, with what is needed to repeat it.</summary>
    public static string Describe(int seed, SwarmViolation violation) => string.Create(
        CultureInfo.InvariantCulture,
        $"""
        VIOLATION {violation.Fault}: {violation.Message}
          {SwarmPlan.Of(seed)}
          again: dotnet Faster.Crash.Child.dll swarm --seed {seed} --stores 1
          {string.Join("\n  ", violation.InnerException?.ToString().Split('\n').Take(MaxLines) ?? [])}
        """);

    private static int Number(string[] arguments, string name, int otherwise) =>
        Argument(arguments, name) is { } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;

    private static string? Argument(string[] arguments, string name)
    {
        int at = Array.IndexOf(arguments, name);
        return at >= 0 && at + 1 < arguments.Length ? arguments[at + 1] : null;
    }
}
