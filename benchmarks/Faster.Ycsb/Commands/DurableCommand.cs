using System.CommandLine;
using System.Text.Json;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that measures writes that are durable when they are acknowledged.</summary>
internal static class DurableCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Number(
            "--keys", "How many keys to load, with values of 100 bytes.", 1_000_000, 1, 1 << 28);
        ListOption<WriteShape> forms = DriverOptions.Forms("blocking:1,blocking:8,awaited:8x64,batches:8x64");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform");
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 5);
        Option<double> warmUp = Options.Seconds("--warm-up", "How long the same goes on before it is measured.", 2);
        Option<double> bin = Options.Seconds("--bin", "The time between two points of the timeline.", 1);
        Option<string?> memory = DriverOptions.Bytes(
            "--memory", "A store's memory for records, index and caches; without it, room for all.");
        Option<int> runs = DriverOptions.Runs(3);
        ListOption<EngineEntry> engines = DriverOptions.DurableEngines(string.Join(',', EngineCatalog.Durable.Keys));
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("durable", "Acknowledged writes in a second that are durable, each or in groups.")
        {
            keys, forms, distributions, seconds, warmUp, bin, memory, runs, engines, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            var settings = new DurableSettings
            {
                Keys = parsed.GetValue(keys), Distribution = default, Shape = "",
                Seconds = parsed.GetValue(seconds), WarmUpSeconds = parsed.GetValue(warmUp),
                Bin = parsed.GetValue(bin), MemoryBytes = DriverOptions.BytesOf(parsed, memory),
            };
            EngineEntry[] fitting = CellOptions.Fitting(
                engines.ValuesOf(parsed),
                new EngineShape(settings.Keys, DurableSettings.ValueBytes, settings.MemoryBytes));
            WriteShape[] asked = forms.ValuesOf(parsed);
            TellUnsupported(asked, fitting);
            Turn[] turns =
            [
                .. from run in Enumerable.Range(1, parsed.GetValue(runs))
                   from distribution in distributions.ValuesOf(parsed)
                   from form in asked
                   from engine in fitting
                   let shape = engine.ShapeFor(form)
                   where shape is not null
                   select new Turn(
                       engine, run, form,
                       settings with { Distribution = distribution, Shape = shape.ToString() }),
            ];
            if (turns.Length == 0)
                throw new UsageException("--forms: none of the engines can wait so.");
            DateTimeOffset started = DateTimeOffset.Now;
            List<DurableResult> measured = await Progress.ShowAsync(
                turns.Length, progress => RunAsync(turns, parsed.GetValue(data), progress, cancellationToken));
            await output.WriteAsync(parsed, DurableTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static void TellUnsupported(WriteShape[] forms, EngineEntry[] engines)
    {
        foreach (EngineEntry engine in engines)
        {
            foreach (WriteShape form in forms.Where(f => engine.ShapeFor(f) is null))
                Progress.Note($"{engine.Name} is left out of {form}: it can't wait so.");
        }
    }

    private static async Task<List<DurableResult>> RunAsync(
        Turn[] turns, string? data, Progress progress, CancellationToken cancellationToken)
    {
        var measured = new List<DurableResult>();
        foreach ((EngineEntry engine, int run, WriteShape asked, DurableSettings settings) in turns)
        {
            string step = $"run {run}, {settings.Shape} {EnumNames.Of(settings.Distribution)}, {engine.Name}";
            progress.Begin(step);
            using DataFolder folder = DataFolder.Create(data);
            string output = await ChildProgram.RunAsync(
                engine.Program, EngineCommands.Durable.ArgumentsOf(engine.Name, folder.Path, settings),
                cancellationToken);
            var result = (DurableResult)JsonSerializer.Deserialize(output, StepJson.Default.StepResult)!;
            measured.Add(result with { Run = run, Asked = asked.ToString() });
            progress.End(step, Figures.Rate(result.OperationsPerSecond));
        }

        return measured;
    }

    private sealed record Turn(EngineEntry Engine, int Run, WriteShape Asked, DurableSettings Settings);
}
