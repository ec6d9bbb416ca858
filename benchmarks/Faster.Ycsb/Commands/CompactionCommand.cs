using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that compacts logs at rest (paper 003 §8.2, Fig. 10).</summary>
internal static class CompactionCommand
{
    private const int DefaultMemoryDivisor = 4;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Number(
            "--keys", "How many keys to load, with values of 100 bytes; half of them are replaced.", 4_000_000, 1000,
            1 << 28);
        Option<string?> memory = DriverOptions.Bytes(
            "--memory", "The store's memory for records, index and caches. [default: a quarter of the records]");
        Option<int> percent = Options.Number("--percent", "The part of the log to compact, the oldest.", 50, 1, 60);
        ListOption<EngineEntry> engines = DriverOptions.CompactingEngines("faster,faster-csharp");
        ListOption<CompactionMethod> methods = new(
            "--methods", "How live records are found.", "lookup,scan", EnumNames.TryParse, "lookup or scan or both");
        ListOption<int> threads = DriverOptions.ThreadCounts("1,2");
        Option<int> runs = DriverOptions.Runs(3);
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("compaction", "Time and memory to compact a log: by look-ups, and by a scan.")
        {
            keys, memory, percent, engines, methods, threads, runs, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            int loaded = parsed.GetValue(keys);
            Turn[] turns =
            [
                .. from run in Enumerable.Range(1, parsed.GetValue(runs))
                   from engine in engines.ValuesOf(parsed)
                   from method in methods.ValuesOf(parsed).Where(m => engine.Compactions.Contains(m))
                   from count in threads.ValuesOf(parsed).Where(t => t == 1 || engine.CompactsByThreads)
                   select new Turn(engine, run, new CompactionSettings
                   {
                       Keys = loaded,
                       MemoryBytes = DriverOptions.BytesOf(parsed, memory)
                           ?? (long)loaded * ChurnExperiment.RecordBytes / DefaultMemoryDivisor,
                       Method = method,
                       Threads = count,
                       Part = parsed.GetValue(percent) / 100.0,
                   }),
            ];
            if (turns.Length == 0)
                throw new UsageException("None of the engines compacts so: by scans, or by several threads.");
            DateTimeOffset started = DateTimeOffset.Now;
            List<CompactionRunResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, parsed.GetValue(data), progress, cancellationToken));
            await output.WriteAsync(parsed, CompactionTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static async Task<List<CompactionRunResult>> RunAsync(
        Turn[] turns, string? data, Progress progress, CancellationToken cancellationToken)
    {
        var measured = new List<CompactionRunResult>();
        foreach ((EngineEntry engine, int run, CompactionSettings settings) in turns)
        {
            string step = string.Create(
                CultureInfo.InvariantCulture,
                $"run {run}, {engine.Name}, {EnumNames.Of(settings.Method)}, {Figures.Threads(settings.Threads)}");
            progress.Begin(step);
            using DataFolder folder = DataFolder.Create(data);
            string output = await ChildProgram.RunAsync(
                engine.Program, EngineCommands.Compaction.ArgumentsOf(engine.Name, folder.Path, settings),
                cancellationToken);
            var result = (CompactionRunResult)JsonSerializer.Deserialize(output, StepJson.Default.StepResult)!;
            measured.Add(result with { Run = run });
            progress.End(step, Figures.Time(result.Seconds));
        }

        return measured;
    }

    private sealed record Turn(EngineEntry Engine, int Run, CompactionSettings Settings);
}
