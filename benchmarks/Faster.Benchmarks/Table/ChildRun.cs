using System.Globalization;
using System.Text.Json;
using Faster.Workload;

namespace Faster.Benchmarks.Table;

/// <summary>Runs one engine once in a process of its own.</summary>
internal static class ChildRun
{
    /// <summary>Starts the process, waits for it and reads its measurement.</summary>
    /// <exception cref="InvalidOperationException">The process failed; the message holds what it wrote.</exception>
    public static async Task<Measurement> RunAsync(
        Contestant contestant, RunSettings settings, CancellationToken cancellationToken)
    {
        string output = await ChildProgram.RunAsync(
            contestant.Program,
            [
                .. contestant.Arguments,
                "--keys", Text(settings.Keys),
                "--threads", Text(settings.Threads),
                "--seconds", Text(settings.Seconds),
                "--workload", ThroughputRun.NameOf(settings.Operation),
                "--distribution", ThroughputRun.NameOf(settings.Distribution),
            ],
            cancellationToken);
        return JsonSerializer.Deserialize(output, MeasurementJson.Default.Measurement)!;
    }

    private static string Text(IFormattable number) => number.ToString(null, CultureInfo.InvariantCulture);
}
