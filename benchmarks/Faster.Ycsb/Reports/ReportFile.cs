using System.Text.Json;

namespace Faster.Ycsb.Reports;

/// <summary>Writes and reads reports as files, with a line for each measurement.</summary>
internal static class ReportFile
{
    /// <summary>Writes a report.</summary>
    public static async Task WriteAsync(string path, Report report, CancellationToken cancellationToken) =>
        await File.WriteAllTextAsync(path, ToJson(report), cancellationToken);

    /// <summary>A report as JSON.</summary>
    public static string ToJson(Report report) =>
        JsonSerializer.Serialize(report, ReportJson.Default.Report)
            .Replace("{\"experiment\"", "\n{\"experiment\"", StringComparison.Ordinal) + "\n";

    /// <summary>Reads a report.</summary>
    /// <exception cref="UsageException">The file is missing, or is no report of this version.</exception>
    public static async Task<Report> ReadAsync(string path, CancellationToken cancellationToken)
    {
        if (!File.Exists(path))
            throw new UsageException($"There is no file '{path}'. Write one by the option --json of another command.");
        try
        {
            await using FileStream file = File.OpenRead(path);
            Report? report = await JsonSerializer.DeserializeAsync(file, ReportJson.Default.Report, cancellationToken);
            return report is { Schema: Report.CurrentSchema }
                ? report
                : throw new UsageException(
                    $"'{path}' is of schema {report?.Schema}, but this program knows {Report.CurrentSchema}: "
                    + "measure again, or use the version of the program that wrote it.");
        }
        catch (JsonException e)
        {
            throw new UsageException($"'{path}' is no report of this program: {e.Message}");
        }
    }
}
