using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Tests.Reports;

public sealed class ReportFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ycsb-tests-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Every_report_reads_as_it_was_written()
    {
        Report[] reports = [Samples.Commits(), Samples.Timelines(), Samples.Buffers(), Samples.Rests()];
        string file = Path.Combine(_folder, "report.json");
        foreach (Report report in reports)
        {
            await ReportFile.WriteAsync(file, report, default);
            Report read = await ReportFile.ReadAsync(file, default);
            Assert.Equivalent(report, read, strict: true);
            Assert.Equal(ReportFile.ToJson(report), ReportFile.ToJson(read));
        }
    }

    [Fact]
    public void Each_measurement_is_a_line_with_the_names_that_scripts_rely_on()
    {
        string[] lines = ReportFile.ToJson(Samples.Commits()).Split('\n');
        string[] measurements = [.. lines.Where(l => l.StartsWith("{\"experiment\":", StringComparison.Ordinal))];
        Assert.Equal(Samples.Commits().Measurements.Count, measurements.Length);
        string[] names = ["engine", "workload", "distribution", "threads", "operations_per_second", "run"];
        Assert.All(measurements, m =>
            Assert.All(names, n => Assert.Contains($"\"{n}\":", m, StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("not json", "is no report")]
    [InlineData("{}", "is no report")]
    [InlineData(null, "There is no file")]
    public async Task A_file_that_is_no_report_is_refused(string? content, string reason)
    {
        string file = Path.Combine(_folder, "other.json");
        if (content is not null)
            await File.WriteAllTextAsync(file, content);
        UsageException e = await Assert.ThrowsAsync<UsageException>(() => ReportFile.ReadAsync(file, default));
        Assert.Contains(reason, e.Message, StringComparison.Ordinal);
        Assert.Contains(file, e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_report_of_another_schema_is_refused()
    {
        string file = Path.Combine(_folder, "newer.json");
        await ReportFile.WriteAsync(file, Samples.Commits() with { Schema = 2 }, default);
        UsageException e = await Assert.ThrowsAsync<UsageException>(() => ReportFile.ReadAsync(file, default));
        Assert.Contains("schema 2", e.Message, StringComparison.Ordinal);
    }
}
