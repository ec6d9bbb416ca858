using System.CommandLine;
using Faster.Ycsb.Plotting;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Commands;

/// <summary>The command that draws what another command has measured.</summary>
internal static class PlotCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        var report = new Argument<string>("report") { Description = "A file that another command wrote by --json." };
        var svg = new Argument<string>("svg") { Description = "The file for the plot." };
        var command = new Command("plot", "Draws measurements as SVG.") { report, svg };
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            Report read = await ReportFile.ReadAsync(parsed.GetValue(report)!, cancellationToken);
            await File.WriteAllTextAsync(
                parsed.GetValue(svg)!, SvgPlot.Draw(ReportPlot.Of(read)), cancellationToken);
        });
        return command;
    }
}
