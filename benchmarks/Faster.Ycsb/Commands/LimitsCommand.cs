using System.CommandLine;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Limits;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that measures what the machine's memory and disk can do, beside which engines stand.</summary>
internal static class LimitsCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        ListOption<int> threads = DriverOptions.ThreadCounts("1,2");
        Option<double> seconds = Options.Seconds("--seconds", "How long each measurement takes.", 1);
        ListOption<int> memory = Size("--memory", "How much memory to read; far more than the caches.", "1GB");
        ListOption<int> file = Size("--file", "How long a file to read and write.", "1GB");
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("limits", "What this machine's memory and disk can do.")
        {
            threads, seconds, memory, file, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            DateTimeOffset started = DateTimeOffset.Now;
            var suite = new LimitSuite(threads.ValuesOf(parsed), parsed.GetValue(seconds), Tell);
            using DataFolder folder = DataFolder.Create(parsed.GetValue(data));
            suite.Memory(memory.ValuesOf(parsed)[0], huge: false);
            cancellationToken.ThrowIfCancellationRequested();
            suite.Memory(memory.ValuesOf(parsed)[0], huge: true);
            cancellationToken.ThrowIfCancellationRequested();
            if (!suite.Disk(folder.Path, file.ValuesOf(parsed)[0]))
                Progress.Note("The file system does not let files bypass the page cache: its figures are the cache's.");
            await output.WriteAsync(
                parsed, LimitTable.Render(suite.Results), started, suite.Results, cancellationToken);
        });
        return command;
    }

    private static void Tell(LimitResult result) => Progress.Note(
        $"{result.Workload} {result.Distribution}, {Figures.Threads(result.Threads)}: "
        + Figures.Rate(result.OperationsPerSecond));

    private static ListOption<int> Size(string name, string description, string fallback) =>
        new(name, description, fallback, ByteCount.TryParse, "a size such as 256MB, up to 1GB");
}
