using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Faster.Workload;

namespace Faster.Benchmarks.Table;

/// <summary>
/// Runs one engine once in a process of its own, so that no engine inherits another's heap or compiled code.
/// </summary>
internal static class ChildRun
{
    /// <summary>Starts the process, waits for it and reads its measurement.</summary>
    /// <exception cref="InvalidOperationException">The process failed; the message holds what it wrote.</exception>
    public static async Task<Measurement> RunAsync(
        Contestant contestant, RunSettings settings, CancellationToken cancellationToken)
    {
        using Process process = Process.Start(StartOf(contestant, settings))!;
        try
        {
            Task<string> errors = process.StandardError.ReadToEndAsync(cancellationToken);
            string output = await process.StandardOutput.ReadToEndAsync(cancellationToken);
            await process.WaitForExitAsync(cancellationToken);
            if (process.ExitCode != 0)
            {
                throw new InvalidOperationException(
                    $"{contestant} failed with {process.ExitCode} on {settings}: {await errors}{output}");
            }

            return JsonSerializer.Deserialize(output, MeasurementJson.Default.Measurement)!;
        }
        finally
        {
            if (!process.HasExited)
                process.Kill(entireProcessTree: true);
        }
    }

    private static ProcessStartInfo StartOf(Contestant contestant, RunSettings settings) =>
        new(Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet",
        [
            "exec", contestant.Program, .. contestant.Arguments,
            "--keys", Text(settings.Keys),
            "--threads", Text(settings.Threads),
            "--seconds", Text(settings.Seconds),
            "--workload", ThroughputRun.NameOf(settings.Operation),
            "--distribution", ThroughputRun.NameOf(settings.Distribution),
        ])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };

    private static string Text(IFormattable number) => number.ToString(null, CultureInfo.InvariantCulture);
}
