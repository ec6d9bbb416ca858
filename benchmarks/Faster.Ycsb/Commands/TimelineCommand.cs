using System.CommandLine;
using System.Globalization;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>
/// The command that records throughput and log over time around full commits (paper 004, Fig. 9 and 10).
/// </summary>
internal static class TimelineCommand
{
    private const double LatestCommit = 3600;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(8_000_000);
        Option<double> seconds = Options.Seconds("--seconds", "How long each run lasts.", 12);
        var commits = new ListOption<double>(
            "--commits", "When full commits begin, in seconds.", "2,7", TryParseInstant, "seconds from 0 to 3600");
        Option<int> bin = Options.Number(
            "--bin", "The time between two points of the plot, in milliseconds.", 100, 10, 10_000);
        ListOption<CommitForm> kinds = DriverOptions.Kinds("fold-over,snapshot,incremental");
        ListOption<Mix> mixes = DriverOptions.Mixes("90:10,50:50,0:100,rmw");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform,zipf");
        ListOption<int> threads = DriverOptions.ThreadCounts("2");
        ListOption<EngineEntry> engines = DriverOptions.Engines("faster");
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("timeline", "Throughput and length of the log over time, around full commits.")
        {
            keys, seconds, commits, bin, kinds, mixes, distributions, threads, engines, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            double[] times = [.. commits.ValuesOf(parsed).Order()];
            if (times[^1] >= parsed.GetValue(seconds))
                throw new UsageException($"--commits: {times[^1]} is not within the run of --seconds.");
            (EngineEntry Engine, StepSettings Settings)[] turns =
            [
                .. from mix in mixes.ValuesOf(parsed)
                   from distribution in distributions.ValuesOf(parsed)
                   from count in threads.ValuesOf(parsed)
                   from form in kinds.ValuesOf(parsed)
                   from engine in engines.ValuesOf(parsed)
                   where engine.Forms.Contains(form)
                   select (engine, new StepSettings
                   {
                       Keys = parsed.GetValue(keys), Threads = count, Workload = mix.Name, Distribution = distribution,
                       Form = form, Seconds = parsed.GetValue(seconds), CommitTimes = times,
                       Bin = parsed.GetValue(bin) / 1000.0,
                   }),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<TimelineResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, parsed.GetValue(data), progress, cancellationToken));
            await output.WriteAsync(parsed, TimelineTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static async Task<List<TimelineResult>> RunAsync(
        (EngineEntry Engine, StepSettings Settings)[] turns, string? data, Progress progress,
        CancellationToken cancellationToken)
    {
        var measured = new List<TimelineResult>();
        foreach ((EngineEntry engine, StepSettings s) in turns)
        {
            string step = $"{s.Workload} {EnumNames.Of(s.Distribution)}, {Figures.Threads(s.Threads)}, "
                + $"{FormNames.Of(s.Form)}, {engine.Name}";
            progress.Begin(step);
            using DataFolder folder = DataFolder.Create(data);
            TimelineResult result = await StepRunner.RunAsync<TimelineResult>(
                StepKind.Timeline, engine, folder, s, cancellationToken);
            measured.Add(result);
            progress.End(step, $"{Figures.Text(result.OperationsPerSecond * Figures.PerMillion, 1)} M/s, commits of "
                + string.Join(" and ", result.Commits.Select(c => Figures.Time(c.EndSeconds - c.StartSeconds))));
        }

        return measured;
    }

    private static bool TryParseInstant(string text, out double seconds) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out seconds)
        && seconds <= LatestCommit;
}
