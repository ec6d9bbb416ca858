using System.CommandLine;
using Faster.Workload.Experiments;
using Faster.Ycsb.Plotting;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Commands;

/// <summary>
/// Where a command's measurements go: a table on standard output, JSON and a plot where the user asks.
/// </summary>
internal sealed class Output
{
    private readonly Option<string?> _json = DriverOptions.Json();
    private readonly Option<string?> _svg = DriverOptions.Svg();

    /// <summary>Gives a command the options.</summary>
    public void AddTo(Command command)
    {
        command.Add(_json);
        command.Add(_svg);
    }

    /// <summary>
    /// Refuses files that could not be written, before anything is measured.
    /// </summary>
    /// <exception cref="UsageException">A folder is missing.</exception>
    public void Check(ParseResult parsed)
    {
        foreach (Option<string?> option in new[] { _json, _svg })
        {
            if (parsed.GetValue(option) is { } file
                && Path.GetDirectoryName(Path.GetFullPath(file)) is { } folder && !Directory.Exists(folder))
                throw new UsageException($"{option.Name} '{file}': there is no folder '{folder}'. Make it first.");
        }
    }

    /// <summary>Writes measurements.</summary>
    public async Task WriteAsync(
        ParseResult parsed, string table, DateTimeOffset started, IReadOnlyList<StepResult> measurements,
        CancellationToken cancellationToken)
    {
        Console.Write(table);
        var report = new Report
        {
            Schema = Report.CurrentSchema,
            Command = parsed.CommandResult.Command.Name,
            Arguments = [.. parsed.Tokens.Select(t => t.Value)],
            Started = started,
            Machine = Machine.Here(),
            Measurements = measurements,
        };
        if (parsed.GetValue(_json) is { } json)
            await ReportFile.WriteAsync(json, report, cancellationToken);
        if (parsed.GetValue(_svg) is { } svg)
            await File.WriteAllTextAsync(svg, SvgPlot.Draw(ReportPlot.Of(report)), cancellationToken);
    }
}
