using System.Diagnostics;
using System.Globalization;
using System.Reflection;

namespace Faster.Generators.Tests.HitPath;

/// <summary>Runs the program Faster.HitPath, with the JIT listing what it compiles.</summary>
/// <remarks>
/// A fixture, shared by the tests of a class. The store's I/O thread compiles, too, and may write into the middle of a
/// listing. A listing of which that is true is known by itself, whatever it shows, and made again. On two cores it is
/// true of nearly each, as both begin to compile at the same moment; so the program gets one.
/// </remarks>
public sealed class HitPathProgram
{
    private const int GreatestSeconds = 120, MaxRuns = 20, TieredRounds = 300_000;
    private const string Session = "Faster.HitPath.Sums+Session:";

    /// <summary>Runs the program in both ways.</summary>
    public HitPathProgram()
    {
        // All of ours: what else a hit calls is a fault.
        Methods = List("Faster.*:*", tiered: false, static _ => true);
        Tiered = List($"{Session}*", tiered: true, static methods => Hits(methods).All(m => m.IsOptimized));
    }

    /// <summary>What was compiled: once, optimized and without guesses about which targets are likely.</summary>
    internal IReadOnlyDictionary<string, JitMethod> Methods { get; }

    /// <summary>
    /// The session's methods as a program has them after a while: compiled again, with PGO enabled.
    /// </summary>
    internal IReadOnlyDictionary<string, JitMethod> Tiered { get; }

    /// <summary>The session's methods that hit.</summary>
    private static IEnumerable<JitMethod> Hits(IReadOnlyDictionary<string, JitMethod> methods) =>
        new[] { "Read", "Upsert", "Rmw" }.Select(operation => HitOf(methods, operation));

    /// <summary>The session's method of an operation.</summary>
    internal static JitMethod HitOf(IReadOnlyDictionary<string, JitMethod> methods, string operation) =>
        methods.Values.Single(m => m.Name.StartsWith($"{Session}{operation}(", StringComparison.Ordinal));

    private static IReadOnlyDictionary<string, JitMethod> List(
        string listed, bool tiered, Func<IReadOnlyDictionary<string, JitMethod>, bool> isComplete)
    {
        string listing = Path.Combine(Path.GetTempPath(), $"faster-hitpath-{Guid.NewGuid():N}.txt");
        try
        {
            for (int run = 1; run <= MaxRuns; run++)
            {
                File.Delete(listing); // it would be appended to
                Run(listing, listed, tiered);
                string[] lines = File.ReadAllLines(listing);
                if (!JitListing.IsWhole(lines))
                    continue;
                IReadOnlyDictionary<string, JitMethod> methods = JitListing.Parse(lines);
                if (isComplete(methods))
                    return methods;
            }
        }
        finally
        {
            File.Delete(listing);
        }

        throw new InvalidOperationException(
            $"In each of {MaxRuns} runs two threads wrote at the same time, or a hit was not optimized to the end.");
    }

    private static void Run(string listing, string listed, bool tiered)
    {
        string program = typeof(HitPathProgram).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(a => a.Key == "HitPathProgram").Value!;
        string enabled = tiered ? "1" : "0";
        var start = new ProcessStartInfo(Environment.ProcessPath is { } host && IsDotnet(host) ? host : "dotnet")
        {
            ArgumentList = { "exec", program },
            RedirectStandardError = true,
            Environment =
            {
                ["DOTNET_JitDisasm"] = listed,
                ["DOTNET_JitStdOutFile"] = listing,
                ["DOTNET_TieredCompilation"] = enabled,
                ["DOTNET_TieredPGO"] = enabled,
                ["DOTNET_TC_CallCountingDelayMs"] = "0", // calls count from the start
            },
        };
        if (tiered)
            start.ArgumentList.Add(TieredRounds.ToString(CultureInfo.InvariantCulture));
        using Process process = Process.Start(start)!;

        // The lowest core that it may use. A thread that compiles meanwhile needs another one.
        if (!tiered && (OperatingSystem.IsLinux() || OperatingSystem.IsWindows()))
            process.ProcessorAffinity &= -process.ProcessorAffinity;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        if (!process.WaitForExit(TimeSpan.FromSeconds(GreatestSeconds)))
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{program} did not end within {GreatestSeconds} seconds.");
        }

        if (process.ExitCode != 0)
            throw new InvalidOperationException($"{program} failed with {process.ExitCode}: {errors.Result}");
    }

    private static bool IsDotnet(string path) => Path.GetFileNameWithoutExtension(path) == "dotnet";
}
