using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Experiments.Transactions;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>
/// The command that measures transactions over several keys (paper 004, Fig. 7): their throughput and times, and the
/// parts of these, alone and around commits (Fig. 8), or how many of them are durable when they are acknowledged.
/// </summary>
internal static class TransactionsCommand
{
    private const int MostKeys = 128, MostCommits = 1000;
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
        Option<int> count = Options.Number(
            "--commits", "How many commits to measure, each beside as long a time without one.", 0, 0, MostCommits);
        ListOption<WriteShape> forms = DriverOptions.Forms("");
        forms.Description = "How many transactions wait at once until they are durable, and how.";
        var breakdown = new Option<bool>("--breakdown") { Description = "Divide the time of transactions." };
        Option<int> runs = DriverOptions.Runs(3);
        ListOption<EngineEntry> engines = DriverOptions.TransactionEngines(
            "transactional,faster-csharp-lockable,sqlite");
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("transactions", "Transactions over several keys, ours beside a loop without locks.")
        {
            keys, sizes, updates, thetas, threads, seconds, warmUp, commits, bin, count, forms, breakdown, runs,
            engines, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            double[] times = [.. commits.ValuesOf(parsed).Where(time => time >= 0).Order()];
            WriteShape[] asked = parsed.GetResult(forms) is { Implicit: false } ? forms.ValuesOf(parsed) : [];
            var settings = new TransactionSettings
            {
                Keys = parsed.GetValue(keys), Seconds = parsed.GetValue(seconds),
                WarmUpSeconds = parsed.GetValue(warmUp), CommitTimes = times, Bin = parsed.GetValue(bin),
                Commits = parsed.GetValue(count), HasBreakdown = parsed.GetValue(breakdown),
                Cells =
                [
                    .. from theta in thetas.ValuesOf(parsed)
                       from size in sizes.ValuesOf(parsed)
                       from percent in updates.ValuesOf(parsed)
                       from clients in asked.Length == 0 ? threads.ValuesOf(parsed) : [0]
                       select new TransactionCell(size, percent, theta, clients),
                ],
            };
            Check(settings, asked);
            EngineEntry[] fitting = CellOptions.Fitting(
                engines.ValuesOf(parsed), new EngineShape(settings.Keys, sizeof(long), null));
            var plans = fitting.ToDictionary(engine => engine, engine => WithForms(settings, engine, asked));
            (EngineEntry Engine, int Run, TransactionSettings Settings)[] turns =
            [
                .. from run in Enumerable.Range(1, parsed.GetValue(runs))
                   from engine in fitting
                   where plans[engine].Cells.Count > 0
                   select (engine, run, plans[engine]),
            ];
            if (turns.Length == 0) throw new UsageException("--forms: none of the engines can wait so.");
            DateTimeOffset started = DateTimeOffset.Now;
            List<StepResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, parsed.GetValue(data), progress, cancellationToken));
            await output.WriteAsync(parsed, TableOf(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static void Check(TransactionSettings settings, WriteShape[] forms)
    {
        if (settings.Cells.Max(cell => cell.Size) > settings.Keys)
            throw new UsageException("--sizes: a transaction can't have more keys than there are.");
        if (settings.CommitTimes.Any(time => time >= settings.Seconds))
            throw new UsageException("--commit-at: a commit must begin within the run of --seconds.");
        bool[] asked = [settings.CommitTimes.Count > 0, settings.Commits > 0, forms.Length > 0, settings.HasBreakdown];
        if (asked.Count(isAsked => isAsked) > 1)
            throw new UsageException("--commit-at, --commits, --forms and --breakdown are measured one at a time.");
    }

    // Each kind of transactions in each form of waiting that the engine has; as it is where none is asked for.
    private static TransactionSettings WithForms(TransactionSettings settings, EngineEntry engine, WriteShape[] forms)
    {
        if (forms.Length == 0) return settings;
        foreach (WriteShape form in forms.Where(form => engine.ShapeFor(form) is null))
            Progress.Note($"{engine.Name} is left out of {form}: it can't wait so until a transaction is durable.");
        return settings with
        {
            Cells =
            [
                .. from cell in settings.Cells
                   from form in forms
                   let shape = engine.ShapeFor(form)
                   where shape is not null
                   select cell with { Threads = shape.Sessions, Form = shape.ToString(), Asked = form.ToString() },
            ],
        };
    }

    private static string TableOf(List<StepResult> measured)
    {
        if (measured[0] is CommitWindowsResult)
            return CommitWindowsTable.Render([.. measured.Cast<CommitWindowsResult>()]);
        if (measured[0] is TimelineResult) return TimelineTable.Render([.. measured.Cast<TimelineResult>()]);
        TransactionCellResult[] cells = [.. measured.Cast<TransactionCellResult>()];
        if (cells[0].Form is not null) return DurableTransactionTable.Render(cells);
        TransactionCellResult[] divided = [.. cells.Where(cell => cell.Breakdown is not null)];
        return TransactionTable.Render(cells) + (divided.Length == 0 ? "" : "\n" + BreakdownTable.Render(divided));
    }

    private static async Task<List<StepResult>> RunAsync(
        (EngineEntry Engine, int Run, TransactionSettings Settings)[] turns, string? data, Progress progress,
        CancellationToken cancellationToken)
    {
        var measured = new List<StepResult>();
        foreach ((EngineEntry engine, int run, TransactionSettings settings) in turns)
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
