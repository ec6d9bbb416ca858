using System.CommandLine;
using System.Text.Json;
using Faster.Engines;
using Faster.Workload;

namespace Faster.Benchmarks;

/// <summary>The command that runs one engine once, in this process.</summary>
internal static class RunCommand
{
    /// <summary>The command's name.</summary>
    public const string Name = "run";

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<EngineKind> engine = new("--engine") { Description = "The engine.", Required = true };
        Option<int> keys = Options.Keys(1_000_000);
        Option<int> threads = Options.Number("--threads", "How many threads work.", 1, 1, 256);
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure, after a second of warm-up.", 2);
        Option<OperationKind> workload = new("--workload") { Description = "The operation.", Required = true };
        Option<KeyDistribution> distribution = new("--distribution") { Description = "How keys are drawn." };
        var command = new Command(Name, "Measures one engine's throughput in memory; prints one line of JSON.")
        {
            engine, keys, threads, seconds, workload, distribution,
        };
        command.SetAction(async (parsed, _) =>
        {
            var settings = new RunSettings(
                parsed.GetValue(workload), parsed.GetValue(distribution), parsed.GetValue(keys),
                parsed.GetValue(threads), parsed.GetValue(seconds));
            await using IEngine opened = await EngineFactory.OpenAsync(parsed.GetValue(engine), settings.Keys);
            Measurement measurement = ThroughputRun.Run(opened, settings);
            Console.WriteLine(JsonSerializer.Serialize(measurement, MeasurementJson.Default.Measurement));
        });
        return command;
    }
}
