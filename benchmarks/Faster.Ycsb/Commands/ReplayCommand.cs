using System.CommandLine;
using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that measures how long stores take to open after their process was ended.</summary>
internal static class ReplayCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Number(
            "--keys", "How many keys there are, with values of 100 bytes.", 1_000_000, 1, 1 << 28);
        var lengths = new ListOption<int>(
            "--lengths", "The bytes of keys and values that are acknowledged before.", "16MB,64MB,256MB",
            ByteCount.TryParse, "sizes such as 512KB or 64MB, up to 1GB");
        Option<string?> memory = DriverOptions.Bytes(
            "--memory", "A store's memory for records, index, logs and caches; without it, room for all.");
        Option<int> runs = DriverOptions.Runs(3);
        ListOption<EngineEntry> engines = DriverOptions.DurableEngines(string.Join(',', EngineCatalog.Durable.Keys));
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("replay", "Time to open a store that was not closed, by what it had acknowledged.")
        {
            keys, lengths, memory, runs, engines, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            var settings = new ReplaySettings
            {
                Keys = parsed.GetValue(keys), Writes = 0, MemoryBytes = DriverOptions.BytesOf(parsed, memory),
            };
            EngineEntry[] fitting = CellOptions.Fitting(
                engines.ValuesOf(parsed),
                new EngineShape(settings.Keys, DurableSettings.ValueBytes, settings.MemoryBytes));
            Turn[] turns =
            [
                .. from run in Enumerable.Range(1, parsed.GetValue(runs))
                   from length in lengths.ValuesOf(parsed)
                   from engine in fitting
                   select new Turn(
                       engine, run, settings with { Writes = Math.Max(1, length / DurableSettings.RecordBytes) }),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<ReplayResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, parsed.GetValue(data), progress, cancellationToken));
            await output.WriteAsync(parsed, ReplayTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static async Task<List<ReplayResult>> RunAsync(
        Turn[] turns, string? data, Progress progress, CancellationToken cancellationToken)
    {
        var measured = new List<ReplayResult>();
        foreach ((EngineEntry engine, int run, ReplaySettings settings) in turns)
        {
            string step = $"run {run}, {Figures.Bytes(settings.Writes * (double)DurableSettings.RecordBytes)}, "
                + engine.Name;
            progress.Begin(step);
            using DataFolder folder = DataFolder.Create(data);
            _ = await ChildProgram.RunAsync(
                engine.Program, EngineCommands.WriteAndEnd.ArgumentsOf(engine.Name, folder.Path, settings),
                cancellationToken);
            PageCache.Drop(folder.Path);
            string output = await ChildProgram.RunAsync(
                engine.Program, EngineCommands.Replay.ArgumentsOf(engine.Name, folder.Path, settings),
                cancellationToken);
            var result = (ReplayResult)JsonSerializer.Deserialize(output, StepJson.Default.StepResult)!;
            measured.Add(result with { Run = run });
            progress.End(step, Figures.Time(result.RecoverySeconds));
        }

        return measured;
    }

    private sealed record Turn(EngineEntry Engine, int Run, ReplaySettings Settings);
}
