using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Faster.Workload;

namespace Faster.Benchmarks.Table;

/// <summary>The command that compares all engines in one interleaved run.</summary>
internal static class TableCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(8_000_000);
        Option<string> threads = new("--threads")
        {
            Description = "How many threads work: one or more numbers, separated by commas.",
            DefaultValueFactory = _ => "1,2",
        };
        threads.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<string>() is { } list && !TryParseList(list, out int[] _))
                result.AddError($"--threads takes numbers from 1 to 256, separated by commas; '{list}' is not that.");
        });
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 3);
        Option<int> runs = Options.Number("--runs", "How often to measure each engine; the median is shown.", 3, 1, 99);
        Option<string?> json = new("--json") { Description = "A file for every single measurement, as a JSON array." };
        var command = new Command("table", "Compares throughput in memory: ours, ConcurrentDictionary, FASTER C#.")
        {
            keys, threads, seconds, runs, json,
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            _ = TryParseList(parsed.GetValue(threads)!, out int[] counts);
            RunSettings[] settings = [.. SettingsOf(parsed.GetValue(keys), counts, parsed.GetValue(seconds))];
            Measurement[] measurements = await MeasureAsync(settings, parsed.GetValue(runs), cancellationToken);
            Console.WriteLine(ThroughputTable.Render(measurements));
            if (parsed.GetValue(json) is { } file)
            {
                await File.WriteAllTextAsync(
                    file, JsonSerializer.Serialize(measurements, MeasurementJson.Default.MeasurementArray),
                    cancellationToken);
            }
        });
        return command;
    }

    /// <summary>Every combination to measure.</summary>
    private static IEnumerable<RunSettings> SettingsOf(int keys, int[] threadCounts, double seconds) =>
        from distribution in Enum.GetValues<KeyDistribution>()
        from operation in Enum.GetValues<OperationKind>()
        from threads in threadCounts
        select new RunSettings(operation, distribution, keys, threads, seconds);

    /// <summary>
    /// Measures all engines in turn, again and again: what disturbs the machine for a while then disturbs all alike.
    /// </summary>
    private static async Task<Measurement[]> MeasureAsync(
        RunSettings[] settings, int runs, CancellationToken cancellationToken)
    {
        var measurements = new List<Measurement>();
        foreach (RunSettings setting in settings)
        {
            for (int run = 0; run < runs; run++)
            {
                foreach (Contestant contestant in Contestant.All)
                {
                    Measurement measurement = await ChildRun.RunAsync(contestant, setting, cancellationToken);
                    measurements.Add(measurement);
                    await Console.Error.WriteLineAsync(string.Create(
                        CultureInfo.InvariantCulture,
                        $"{measurement.Distribution} {measurement.Workload} {measurement.Threads}T run {run + 1}: " +
                        $"{measurement.Engine} {measurement.OperationsPerSecond / 1e6:F1} M/s"));
                }
            }
        }

        return [.. measurements];
    }

    private static bool TryParseList(string list, out int[] counts)
    {
        const int Greatest = 256;
        string[] parts = list.Split(',', StringSplitOptions.TrimEntries);
        counts = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            if (!int.TryParse(parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out counts[i])
                || counts[i] is < 1 or > Greatest)
                return false;
        }

        return true;
    }
}
