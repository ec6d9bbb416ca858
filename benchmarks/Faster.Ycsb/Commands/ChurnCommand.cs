using System.CommandLine;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that replaces records again and again under a disk budget.</summary>
internal static class ChurnCommand
{
    private const double DefaultRoom = 2;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Number(
            "--keys", "How many keys to load, with values of 100 bytes.", 1_000_000, 1000, 1 << 28);
        Option<string?> memory = DriverOptions.Bytes(
            "--memory", "The store's memory for records, index and caches. [default: half of the records]");
        Option<string?> disk = DriverOptions.Bytes(
            "--disk", "What the log may take on disk. [default: twice the records]");
        Option<bool> tiered = new("--tiered") { Description = "A store in two tiers instead of one." };
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform,zipf");
        Option<int> threads = DriverOptions.Threads(2);
        Option<double> seconds = Options.Seconds("--seconds", "How long to update.", 20);
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("churn", "Blind updates under a disk budget: what they take on disk and in memory.")
        {
            tiered, keys, memory, disk, distributions, threads, seconds, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            int loaded = parsed.GetValue(keys);
            long live = (long)loaded * ChurnExperiment.RecordBytes;
            ChurnExperiment[] experiments =
            [
                .. distributions.ValuesOf(parsed).Select(distribution => new ChurnExperiment(
                    parsed.GetValue(tiered), loaded, DriverOptions.BytesOf(parsed, memory) ?? live / 2,
                    DriverOptions.BytesOf(parsed, disk) ?? (long)(live * DefaultRoom), distribution,
                    parsed.GetValue(threads))),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<ChurnResult> measured = await Progress.MeasureAsync(
                experiments, experiment => EnumNames.Of(experiment.Distribution),
                experiment => experiment.RunAsync(parsed.GetValue(data), parsed.GetValue(seconds)), cancellationToken);
            await output.WriteAsync(parsed, ChurnTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }
}
