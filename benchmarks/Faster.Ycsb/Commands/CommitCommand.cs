using System.CommandLine;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that measures full commits and recoveries, of all engines in turns.</summary>
internal static class CommitCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(8_000_000);
        Option<int> runs = DriverOptions.Runs(3);
        Option<int> threads = DriverOptions.Threads(2);
        Option<double> seconds = Options.Seconds("--seconds", "How long to run before a commit under load.", 2);
        ListOption<CommitForm> kinds = DriverOptions.Kinds("fold-over,snapshot,incremental");
        ListOption<EngineEntry> engines = DriverOptions.Engines("faster,faster-csharp");
        Option<string?> data = DriverOptions.Data();
        var atRest = new Option<bool>("--at-rest") { Description = "Only commits at rest, and their recovery." };
        var small = new Option<bool>("--small")
        {
            Description = "Commits of few records at rest instead, of FASTER and F2, beside synced writes of the disk.",
        };
        Option<int> commits = Options.Number("--commits", "With --small: how many of each size.", 1_000, 10, 100_000);
        var output = new Output();
        var command = new Command("commit", "Time to commit and to recover: at rest, and under threads of 50:50.")
        {
            keys, runs, threads, seconds, kinds, engines, data, atRest, small, commits,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            if (parsed.GetValue(small))
            {
                await SmallAsync(
                    parsed, output, parsed.GetValue(runs), parsed.GetValue(commits), parsed.GetValue(data),
                    cancellationToken);
                return;
            }

            CommitForm[] forms = kinds.ValuesOf(parsed);
            EngineEntry[] entries = engines.ValuesOf(parsed);
            TellUnsupported(forms, entries);
            Turn[] turns =
            [
                .. from run in Enumerable.Range(1, parsed.GetValue(runs))
                   from form in forms
                   from count in parsed.GetValue(atRest) ? [0] : new[] { 0, parsed.GetValue(threads) }
                   from engine in entries
                   where engine.Forms.Contains(form)
                   select new Turn(engine, run, new StepSettings
                   {
                       Keys = parsed.GetValue(keys), Threads = count, Workload = Mix.Even.Name,
                       Distribution = KeyDistribution.Uniform, Form = form, Seconds = parsed.GetValue(seconds),
                   }),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<StepResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, parsed.GetValue(data), progress, cancellationToken));
            string table = CommitTable.Render(new CommitFigures(measured));
            await output.WriteAsync(parsed, table, started, measured, cancellationToken);
        });
        return command;
    }

    private static async Task SmallAsync(
        ParseResult parsed, Output output, int runs, int commits, string? data, CancellationToken cancellationToken)
    {
        DateTimeOffset started = DateTimeOffset.Now;
        List<SmallCommitResult> measured = await Progress.ShowAsync(runs, async progress =>
        {
            List<SmallCommitResult> all = [];
            for (int run = 1; run <= runs; run++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                progress.Begin($"run {run}");
                using DataFolder folder = DataFolder.Create(data);
                List<SmallCommitResult> one = await SmallCommitExperiment.RunAsync(folder.Path, commits);
                all.AddRange(one.Select(result => result with { Run = run }));
                progress.End($"run {run}", $"{commits} commits of each size");
            }

            return all;
        });
        await output.WriteAsync(parsed, SmallCommitTable.Render(measured), started, measured, cancellationToken);
    }

    private static void TellUnsupported(CommitForm[] forms, EngineEntry[] engines)
    {
        foreach (EngineEntry engine in engines)
        {
            foreach (CommitForm form in forms.Where(f => !engine.Forms.Contains(f)))
                Progress.Note($"{engine.Name} is left out of {FormNames.Of(form)} commits: it has none.");
        }
    }

    private static async Task<List<StepResult>> RunAsync(
        Turn[] turns, string? data, Progress progress, CancellationToken cancellationToken)
    {
        var measured = new List<StepResult>();
        foreach ((EngineEntry engine, int run, StepSettings settings) in turns)
        {
            string load = settings.Threads == 0 ? "at rest" : $"under {Figures.Threads(settings.Threads)}";
            string step = $"run {run}, {FormNames.Of(settings.Form)} {load}, {engine.Name}";
            progress.Begin(step);
            using DataFolder folder = DataFolder.Create(data);
            CommitResult commit = await StepRunner.RunAsync<CommitResult>(
                StepKind.Commit, engine, folder, settings, cancellationToken);
            PageCache.Drop(folder.Path);
            RecoveryResult recovery = await StepRunner.RunAsync<RecoveryResult>(
                StepKind.Recovery, engine, folder, settings, cancellationToken);
            measured.Add(commit with { Run = run });
            measured.Add(recovery with { Run = run });
            progress.End(
                step,
                $"commit {Figures.Time(commit.CommitSeconds)}, recovery {Figures.Time(recovery.RecoverySeconds)}");
        }

        return measured;
    }

    private sealed record Turn(EngineEntry Engine, int Run, StepSettings Settings);
}
