using Faster.Ycsb.Commands;
using Faster.Ycsb.Plotting;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Tests.Reports;

namespace Faster.Ycsb.Tests.Commands;

// One class, so that its tests take turns: they redirect the console.
public sealed class DriverCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ycsb-tests-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("fold-over, snapshot, incremental", "commit", "--kinds", "foldover")]
    [InlineData("faster-csharp", "commit", "--engines", "redis")]
    [InlineData("from 1 to 256", "commit", "--threads", "0")]
    [InlineData("is no folder", "commit", "--data", "no/such/folder")]
    [InlineData("there is no folder", "commit", "--json", "no/such/folder/file.json")]
    [InlineData("90", "timeline", "--mixes", "90:20")]
    [InlineData("uniform or zipf", "timeline", "--distributions", "1")]
    [InlineData("--seconds", "timeline", "--commits", "3,9", "--seconds", "8")]
    [InlineData("32KB", "buffer", "--sizes", "3 potatoes")]
    [InlineData("16 operations", "buffer", "--sizes", "64B")]
    [InlineData("blind updates", "buffer", "--mixes", "rmw")]
    [InlineData("faster-csharp", "buffer", "--engines", "faster-csharp")]
    [InlineData("dotnet build", "rest", "--base", "no.dll", "--candidate", "no.dll")]
    [InlineData("--json", "plot", "no.json", "no.svg")]
    public async Task What_cannot_be_done_is_one_message_that_helps(string help, params string[] args)
    {
        (int exitCode, string output, string error) = await RunAsync(args);
        Assert.Equal(Guard.Failed, exitCode);
        Assert.Empty(output);
        string message = Assert.Single(
            error.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            line => line.StartsWith("Error: ", StringComparison.Ordinal));
        Assert.Contains(help, message, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Plot_draws_a_report()
    {
        string json = Path.Combine(_folder, "report.json");
        string svg = Path.Combine(_folder, "plot.svg");
        await ReportFile.WriteAsync(json, Samples.Timelines(), default);
        (int exitCode, _, string error) = await RunAsync("plot", json, svg);
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Equal(SvgPlot.Draw(ReportPlot.Of(Samples.Timelines())), await File.ReadAllTextAsync(svg));
    }

    [Theory]
    [InlineData("512", 512)]
    [InlineData("32KB", 32 << 10)]
    [InlineData("2MiB", 2 << 20)]
    [InlineData("1g", 1 << 30)]
    [InlineData("2GB", null)]
    [InlineData("0", null)]
    [InlineData("-1K", null)]
    [InlineData("KB", null)]
    public void Bytes_are_read(string text, int? expected) =>
        Assert.Equal(expected, ByteCount.TryParse(text, out int bytes) ? bytes : null);

    private static async Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] args)
    {
        (TextWriter output, TextWriter error) = (Console.Out, Console.Error);
        using StringWriter newOutput = new(), newError = new();
        try
        {
            Console.SetOut(newOutput);
            Console.SetError(newError);
            return (await DriverCommand.RunAsync(args), newOutput.ToString(), newError.ToString());
        }
        finally
        {
            Console.SetOut(output);
            Console.SetError(error);
        }
    }
}
