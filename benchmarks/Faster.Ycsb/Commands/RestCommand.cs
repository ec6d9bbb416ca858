using System.CommandLine;
using System.Globalization;
using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>
/// The command that compares two builds of Faster.Ycsb in turns, such as one from before a change and one from
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
            "--engines", "Engines of these builds.", "faster,faster-batch", TryParseEngine, "faster or faster-batch");
        ListOption<YcsbWorkload> workloads = DriverOptions.Workloads("c,upsert,rmw");
        Option<int> keys = Options.Keys(8_000_000);
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 2);
        Option<int> runs = DriverOptions.Runs(5);
        ListOption<int> threads = DriverOptions.ThreadCounts("1,2");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform,zipf");
        var output = new Output();
        var command = new Command("rest", "Throughput of two builds of this program, in turns.")
        {
            first, second, engines, workloads, keys, seconds, runs, threads, distributions,
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
                   from workload in workloads.ValuesOf(parsed)
                   from count in threads.ValuesOf(parsed)
                   from engine in engines.ValuesOf(parsed)
                   from run in Enumerable.Range(1, parsed.GetValue(runs))
                   // Each goes first every other time.
                   from build in run % 2 == 0 ? builds.Keys.Reverse() : builds.Keys
                   select new Turn(
                       build, builds[build], engine, run, workload.Name, distribution, parsed.GetValue(keys), count,
                       parsed.GetValue(seconds)),
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
            Description = $"{description}: the path of its Faster.Ycsb.dll, or of an executable.",
            Required = true,
        };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<string>() is { } path && !File.Exists(path))
            {
                result.AddError(
                    $"{name}: there is no file '{path}'. To build it: dotnet build -c Release "
                    + "benchmarks/Faster.Ycsb");
            }
        });
        return option;
    }

    private static bool TryParseEngine(string name, out string engine)
    {
        engine = name.ToLowerInvariant();
        return engine is StoreNames.Single or StoreNames.Batch;
    }

    private static async Task<List<RestResult>> RunAsync(
        Turn[] turns, Progress progress, CancellationToken cancellationToken)
    {
        var measured = new List<RestResult>();
        foreach (Turn turn in turns)
        {
            string step = $"{turn.Workload} {EnumNames.Of(turn.Distribution)}, {Figures.Threads(turn.Threads)}, "
                + $"{turn.Engine}, run {turn.Run}, {turn.Build}";
            progress.Begin(step);
            RunResult r = await MeasureAsync(turn, cancellationToken);
            measured.Add(new RestResult
            {
                Engine = r.Engine, Workload = r.Workload, Distribution = r.Distribution, Keys = r.Keys,
                Threads = r.Threads, OperationsPerSecond = r.OperationsPerSecond, Run = turn.Run, Build = turn.Build,
            });
            progress.End(step, Figures.Rate(r.OperationsPerSecond));
        }

        return measured;
    }

    private static async Task<RunResult> MeasureAsync(Turn turn, CancellationToken cancellationToken)
    {
        string json = Path.GetTempFileName();
        try
        {
            _ = await ChildProgram.RunAsync(
                turn.Program,
                [
                    "run", "--engine", turn.Engine, "--workload", turn.Workload,
                    "--distribution", EnumNames.Of(turn.Distribution), "--keys", Text(turn.Keys),
                    "--threads", Text(turn.Threads), "--seconds", Text(turn.Seconds), "--json", json,
                ],
                cancellationToken);
            Report report = await ReportFile.ReadAsync(json, cancellationToken);
            return report.Measurements.OfType<RunResult>().Single();
        }
        finally
        {
            File.Delete(json);
        }
    }

    private static string Text(IFormattable number) => number.ToString(null, CultureInfo.InvariantCulture);

    private sealed record Turn(
        string Build, string Program, string Engine, int Run, string Workload, KeyDistribution Distribution, int Keys,
        int Threads, double Seconds);
}
