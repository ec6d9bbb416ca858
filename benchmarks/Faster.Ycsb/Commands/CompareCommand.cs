using System.CommandLine;
using Faster.Workload.Cells;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>
/// The command that measures engines in turns, so that what disturbs the machine for a while disturbs all alike.
/// </summary>
internal static class CompareCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        ListOption<EngineEntry> engines = DriverOptions.AllEngines("faster,faster-batch,dictionary,faster-csharp");
        var cells = new CellOptions("c,upsert,rmw", "1,2", runs: 3);
        var output = new Output();
        var command = new Command("compare", "Throughput of engines in turns, with ratios to the first.") { engines };
        cells.AddTo(command);
        output.AddTo(command);
        command.SetGuarded((parsed, cancellationToken) =>
            MeasureAsync(parsed, engines.ValuesOf(parsed), cells, output, cancellationToken));
        return command;
    }

    /// <summary>Measures engines, and writes what came out.</summary>
    public static async Task MeasureAsync(
        ParseResult parsed, EngineEntry[] engines, CellOptions options, Output output,
        CancellationToken cancellationToken)
    {
        output.Check(parsed);
        LoadSettings settings = options.SettingsOf(parsed);
        EngineEntry[] fitting = CellOptions.Fitting(engines, settings);
        CellLoad[] loads =
        [
            .. from run in Enumerable.Range(1, options.Runs(parsed))
               from part in CellLoad.Divide(settings)
               from engine in fitting
               select new CellLoad(engine, run, part, null),
        ];
        DateTimeOffset started = DateTimeOffset.Now;
        List<RunResult> measured = await CellRunner.RunAsync(
            loads, options.Data(parsed), options.Limit(parsed), cancellationToken);
        await output.WriteAsync(
            parsed, RunTable.Render(measured) + "\n" + CostTable.Render(measured), started, measured,
            cancellationToken);
    }
}
