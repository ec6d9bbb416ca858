using System.CommandLine;
using System.Globalization;
using Faster.Workload.Cells;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that varies one thing and keeps the others.</summary>
internal static class SweepCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        ListOption<EngineEntry> engines = DriverOptions.AllEngines("faster,faster-csharp");
        Option<SweepAxis> over = new("--over") { Description = "What varies.", Required = true };
        Option<string> values = new("--values")
        {
            Description = "The values, separated by commas: counts of threads, skews, sizes of values or of memory, "
                + "the percentage of reads, keys for each 8 bytes of an index, or R of hotring.",
            Required = true,
        };
        var cells = new CellOptions("c", "2", runs: 3);
        var output = new Output();
        var command = new Command("sweep", "Throughput of engines in turns, over a range of one setting.")
        {
            engines, over, values,
        };
        cells.AddTo(command);
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            SweepAxis axis = parsed.GetValue(over);
            (SweepPoint Point, LoadSettings Settings)[] points = PointsOf(
                axis, parsed.GetValue(values)!, cells.SettingsOf(parsed));
            CellLoad[] loads =
            [
                .. from run in Enumerable.Range(1, cells.Runs(parsed))
                   from point in points
                   from part in CellLoad.Divide(point.Settings)
                   from engine in CellOptions.Fitting(engines.ValuesOf(parsed), part)
                   select new CellLoad(engine, run, part, point.Point),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<RunResult> measured = await CellRunner.RunAsync(
                loads, cells.Data(parsed), cells.Limit(parsed), cancellationToken);
            await output.WriteAsync(
                parsed, RunTable.Render(measured) + "\n" + CostTable.Render(measured), started, measured,
                cancellationToken);
        });
        return command;
    }

    private static (SweepPoint Point, LoadSettings Settings)[] PointsOf(
        SweepAxis axis, string values, LoadSettings settings) =>
        [.. values.Split(',', StringSplitOptions.TrimEntries).Select(text => PointOf(axis, text, settings))];

    private static (SweepPoint Point, LoadSettings Settings) PointOf(
        SweepAxis axis, string text, LoadSettings settings)
    {
        bool isRead = axis is SweepAxis.Memory or SweepAxis.ValueSize
            ? ByteCount.TryParse(text, out long bytes)
            : long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out bytes);
        double number = bytes;
        if (axis == SweepAxis.Theta)
            isRead = double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out number);
        if (!isRead || !SweepAxes.Allows(axis, number))
            throw new UsageException($"--values: '{text}' is no {SweepAxes.What(axis)}.");
        return (new SweepPoint(SweepAxes.NameOf(axis), number), SweepAxes.Apply(axis, number, settings));
    }
}
