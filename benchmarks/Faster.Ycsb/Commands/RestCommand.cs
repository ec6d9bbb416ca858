using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>
/// The command that compares two builds of Faster.Benchmarks in turns, such as one from before a change and one from
/// after it.
/// </summary>
internal static class RestCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<string> first = Program("--base", "The build to compare against");
        Option<string> second = Program("--candidate", "The build to compare");
        var engines = new ListOption<string>(
            "--engines", "Engines of these builds.", "store,batch", TryParseEngine, "store or batch or both");
        Option<int> keys = Options.Keys(8_000_000);
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 2);
        Option<int> runs = DriverOptions.Runs(5);
        ListOption<int> threads = DriverOptions.ThreadCounts("1,2");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform,zipf");
        var output = new Output();
        var command = new Command("rest", "Throughput of two builds of Faster.Benchmarks, in turns.")
        {
            first, second, engines, keys, seconds, runs, threads, distributions,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            Dictionary<string, string> builds = new()
            {
                [RestTable.Base] = parsed.GetValue(first)!, [RestTable.Candidate] = parsed.GetValue(second)!,
            };
            Turn[] turns =
            [
                .. from distribution in distributions.ValuesOf(parsed)
                   from operation in Enum.GetValues<OperationKind>()
                   from count in threads.ValuesOf(parsed)
                   from engine in engines.ValuesOf(parsed)
                   from run in Enumerable.Range(1, parsed.GetValue(runs))
                   // Each goes first every other time.
                   from build in run % 2 == 0 ? builds.Keys.Reverse() : builds.Keys
                   select new Turn(build, builds[build], engine, run, new RunSettings(
                       operation, distribution, parsed.GetValue(keys), count, parsed.GetValue(seconds))),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<RestResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, progress, cancellationToken));
            await output.WriteAsync(parsed, RestTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static Option<string> Program(string name, string description)
    {
        var option = new Option<string>(name)
        {
            Description = $"{description}: the path of its Faster.Benchmarks.dll, or of an executable.",
            Required = true,
        };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<string>() is { } path && !File.Exists(path))
            {
                result.AddError(
                    $"{name}: there is no file '{path}'. To build it: dotnet build -c Release "
                    + "benchmarks/Faster.Benchmarks");
            }
        });
        return option;
    }

    private static bool TryParseEngine(string name, out string engine)
    {
        engine = name.ToLowerInvariant();
        return engine is "store" or "batch";
    }

    private static async Task<List<RestResult>> RunAsync(
        Turn[] turns, Progress progress, CancellationToken cancellationToken)
    {
        var measured = new List<RestResult>();
        foreach (Turn turn in turns)
        {
            RunSettings s = turn.Settings;
            string step = $"{ThroughputRun.NameOf(s.Operation)} {ThroughputRun.NameOf(s.Distribution)}, "
                + $"{Figures.Threads(s.Threads)}, {turn.Engine}, run {turn.Run}, {turn.Build}";
            progress.Begin(step);
            Measurement m = await MeasureAsync(turn, cancellationToken);
            measured.Add(new RestResult
            {
                Engine = m.Engine, Workload = m.Workload, Distribution = m.Distribution, Keys = m.Keys,
                Threads = m.Threads, OperationsPerSecond = m.OperationsPerSecond, Run = turn.Run, Build = turn.Build,
            });
            progress.End(step, $"{Figures.Text(m.OperationsPerSecond * Figures.PerMillion, 2)} M/s");
        }

        return measured;
    }

    private static async Task<Measurement> MeasureAsync(Turn turn, CancellationToken cancellationToken)
    {
        string output = await ChildProgram.RunAsync(
            turn.Program,
            [
                "run", "--engine", turn.Engine,
                "--keys", turn.Settings.Keys.ToString(CultureInfo.InvariantCulture),
                "--threads", turn.Settings.Threads.ToString(CultureInfo.InvariantCulture),
                "--seconds", turn.Settings.Seconds.ToString(CultureInfo.InvariantCulture),
                "--workload", ThroughputRun.NameOf(turn.Settings.Operation),
                "--distribution", ThroughputRun.NameOf(turn.Settings.Distribution),
            ],
            cancellationToken);
        return JsonSerializer.Deserialize(output, MeasurementJson.Default.Measurement)!;
    }

    private sealed record Turn(string Build, string Program, string Engine, int Run, RunSettings Settings);
}
