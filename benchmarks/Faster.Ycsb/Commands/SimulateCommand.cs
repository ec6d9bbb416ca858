using System.CommandLine;
using System.Globalization;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;
using Faster.Ycsb.Simulation;

namespace Faster.Ycsb.Commands;

/// <summary>The command that compares the hybrid log with other caches by simulation (paper 000, §7.5).</summary>
internal static class SimulateCommand
{
    private const int MaxAccesses = 1 << 30;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        ListOption<KeyDistribution> distributions = DriverOptions.AllDistributions("uniform,zipf,moving");
        Option<int> keys = Options.Number("--keys", "How many keys there are.", 100_000, 2, 1 << 27);
        Option<int> accesses = Options.Number(
            "--accesses", "How many accesses for each key; the first half warms the caches up.", 40, 2, 10_000);
        var sizes = new ListOption<double>(
            "--sizes", "The sizes of the caches, in percent of the keys.", "1,2,5,10,15,20,30,40,50,60,70,80,90,100",
            TryParsePercent, "percentages above 0 and up to 100");
        Option<double> theta = DriverOptions.Theta();
        Option<string?> trace = DriverOptions.Trace();
        Option<TraceFormat> format = DriverOptions.Format();
        var output = new Output();
        var command = new Command("simulate", "Hit rates of the hybrid log and of other caches, by simulation.")
        {
            distributions, keys, accesses, sizes, theta, trace, format,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            DateTimeOffset started = DateTimeOffset.Now;
            (string? file, KeyDistribution[] chosen) = DriverOptions.KeysOf(parsed, trace, distributions);
            if ((long)parsed.GetValue(keys) * parsed.GetValue(accesses) > MaxAccesses)
                throw new UsageException($"--keys times --accesses must be at most {MaxAccesses:N0}.");
            List<SimulationResult> results = [];
            foreach (KeyDistribution distribution in chosen)
            {
                cancellationToken.ThrowIfCancellationRequested();
                Progress.Note($"{EnumNames.Of(distribution)} …");
                results.AddRange(StreamOf(distribution).Run(sizes.ValuesOf(parsed)));
            }

            await output.WriteAsync(parsed, SimulationTable.Render(results), started, results, cancellationToken);

            CacheSimulation StreamOf(KeyDistribution distribution) => distribution switch
            {
                KeyDistribution.Trace => OfTrace(file!, parsed.GetValue(format)),
                KeyDistribution.Latest => throw new UsageException(
                    "--distribution latest is for stores that grow; a simulation has a fixed set of keys."),
                _ => CacheSimulation.Draw(
                    distribution, parsed.GetValue(keys), parsed.GetValue(accesses), parsed.GetValue(theta)),
            };
        });
        return command;
    }

    // All of it counts, the first access of each key too: that is what a cache would have met.
    private static CacheSimulation OfTrace(string path, TraceFormat format)
    {
        (int[] requests, int named) = TraceFile.Read(path, format);
        return new CacheSimulation(KeyDistribution.Trace, named, requests, WarmUp: 0);
    }

    private static bool TryParsePercent(string text, out double percent) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out percent)
        && percent is > 0 and <= 100;
}
