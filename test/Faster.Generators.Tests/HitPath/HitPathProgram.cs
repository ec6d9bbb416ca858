using System.Diagnostics;
using System.Reflection;

namespace Faster.Generators.Tests.HitPath;

/// <summary>Runs the program Faster.HitPath once, with the JIT listing what it compiles.</summary>
/// <remarks>
/// A fixture, shared by the tests of a class. The store's I/O thread compiles, too, and may write into the middle of a
/// listing. A listing of which that is true is known by itself, whatever it shows, and made again. On two cores it is
/// true of nearly each, as both begin to compile at the same moment; so the program gets one.
/// </remarks>
public sealed class HitPathProgram
{
    private const int GreatestSeconds = 120, MaxRuns = 20;

    /// <summary>Runs the program.</summary>
    public HitPathProgram()
    {
        string listing = Path.Combine(Path.GetTempPath(), $"faster-hitpath-{Guid.NewGuid():N}.txt");
        try
        {
            for (int run = 1; ; run++)
            {
                File.Delete(listing); // it would be appended to
                Run(listing);
                string[] lines = File.ReadAllLines(listing);
                if (JitListing.IsWhole(lines))
                {
                    Methods = JitListing.Parse(lines);
                    return;
                }

                if (run == MaxRuns)
                    throw new InvalidOperationException($"In each of {run} runs two threads wrote at the same time.");
            }
        }
        finally
        {
            File.Delete(listing);
        }
    }

    /// <summary>What was compiled.</summary>
    internal IReadOnlyDictionary<string, JitMethod> Methods { get; }

    private static void Run(string listing)
    {
        string program = typeof(HitPathProgram).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(a => a.Key == "HitPathProgram").Value!;
        var start = new ProcessStartInfo(Environment.ProcessPath is { } host && IsDotnet(host) ? host : "dotnet")
        {
            ArgumentList = { "exec", program },
            RedirectStandardError = true,
            Environment =
            {
                ["DOTNET_JitDisasm"] = "Faster.*:*", // all of ours: what else a hit calls is a fault
                ["DOTNET_JitStdOutFile"] = listing,
                // Code is compiled once, optimized and without guesses about which targets are likely.
                ["DOTNET_TieredCompilation"] = "0",
                ["DOTNET_TieredPGO"] = "0",
            },
        };
        using Process process = Process.Start(start)!;
        if (OperatingSystem.IsLinux() || OperatingSystem.IsWindows())
            process.ProcessorAffinity &= -process.ProcessorAffinity; // the lowest core that it may use
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
