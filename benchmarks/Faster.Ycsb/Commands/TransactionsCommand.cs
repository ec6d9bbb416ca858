using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>
/// The command that measures transactions over several keys (paper 004, Fig. 7) and, where commits are asked for, their
/// throughput over time (Fig. 8).
/// </summary>
internal static class TransactionsCommand
{
    private const int MostKeys = 128;
    private const double LatestCommit = 3600, HighestTheta = 5;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(8_000_000);
        ListOption<int> sizes = Numbers("--sizes", "How many keys each transaction has.", "1,10", 1, MostKeys);
        ListOption<int> updates = Numbers("--updates", "How many of them it updates, in percent.", "0,50,100", 0, 100);
        var thetas = new ListOption<double>(
            "--thetas", "The skew of the keys.", "0.1,0.99",
            (string text, out double theta) => TryParse(text, HighestTheta, out theta), "numbers from 0 to 5");
        ListOption<int> threads = DriverOptions.ThreadCounts("1,2");
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each kind.", 5);
        Option<double> warmUp = Options.Seconds("--warm-up", "How long it runs before.", 1);
        var commits = new ListOption<double>(
            "--commit-at", "When commits begin, in seconds: then throughput is shown over time.", "", TryParseInstant,
            "seconds from 0 to 3600");
        Option<double> bin = Options.Seconds("--bin", "The time between two points of a timeline.", 0.1);
        Option<int> runs = DriverOptions.Runs(3);
        ListOption<EngineEntry> engines = DriverOptions.TransactionEngines(
            "transactional,faster-csharp-lockable,sqlite");
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("transactions", "Transactions over several keys, ours beside a loop without locks.")
        {
            keys, sizes, updates, thetas, threads, seconds, warmUp, commits, bin, runs, engines, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            double[] times = [.. commits.ValuesOf(parsed).Where(time => time >= 0).Order()];
            if (times.Any(time => time >= parsed.GetValue(seconds)))
                throw new UsageException("--commit-at: a commit must begin within the run of --seconds.");
            var settings = new TransactionSettings
            {
                Keys = parsed.GetValue(keys), Seconds = parsed.GetValue(seconds),
                WarmUpSeconds = parsed.GetValue(warmUp), CommitTimes = times, Bin = parsed.GetValue(bin),
                Cells =
                [
                    .. from theta in thetas.ValuesOf(parsed)
                       from size in sizes.ValuesOf(parsed)
                       from percent in updates.ValuesOf(parsed)
                       from count in threads.ValuesOf(parsed)
                       select new TransactionCell(size, percent, theta, count),
                ],
            };
            if (settings.Cells.Max(cell => cell.Size) > settings.Keys)
                throw new UsageException("--sizes: a transaction can't have more keys than there are.");
            EngineEntry[] fitting = CellOptions.Fitting(
                engines.ValuesOf(parsed), new EngineShape(settings.Keys, sizeof(long), null));
            (EngineEntry Engine, int Run)[] turns =
            [
                .. from run in Enumerable.Range(1, parsed.GetValue(runs))
                   from engine in fitting
                   select (engine, run),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<StepResult> measured = await Progress.ShowAsync(
                turns.Length,
                progress => RunAsync(turns, settings, parsed.GetValue(data), progress, cancellationToken));
            string table = times.Length == 0
                ? TransactionTable.Render([.. measured.Cast<TransactionCellResult>()])
                : TimelineTable.Render([.. measured.Cast<TimelineResult>()]);
            await output.WriteAsync(parsed, table, started, measured, cancellationToken);
        });
        return command;
    }

    private static async Task<List<StepResult>> RunAsync(
        (EngineEntry Engine, int Run)[] turns, TransactionSettings settings, string? data, Progress progress,
        CancellationToken cancellationToken)
    {
        var measured = new List<StepResult>();
        foreach ((EngineEntry engine, int run) in turns)
        {
            string step = $"run {run}, {engine.Name}";
            progress.Begin(step);
            using DataFolder folder = DataFolder.Create(data);
            string output = await ChildProgram.RunAsync(
                engine.Program, EngineCommands.Transactions.ArgumentsOf(engine.Name, folder.Path, settings),
                cancellationToken);
            StepResult[] results =
            [
                .. output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
                    .Select(line => JsonSerializer.Deserialize(line, StepJson.Default.StepResult)! with { Run = run }),
            ];
            measured.AddRange(results);
            progress.End(step, string.Join("; ", results.Select(r => Figures.Rate(r.OperationsPerSecond))));
        }

        return measured;
    }

    private static ListOption<int> Numbers(
        string name, string description, string fallback, int least, int most) => new(
        name, description, fallback,
        (string text, out int number) =>
            int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number)
            && number >= least && number <= most,
        $"numbers from {least} to {most}");

    // Nothing is what is said by default: no commit.
    private static bool TryParseInstant(string text, out double time)
    {
        time = -1;
        return text.Length == 0 || TryParse(text, LatestCommit, out time);
    }

    private static bool TryParse(string text, double most, out double number) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out number)
        && number <= most;
}
