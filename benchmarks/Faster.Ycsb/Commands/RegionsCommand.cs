using System.CommandLine;
using System.Globalization;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that varies the size of the mutable region (paper 000, Fig. 12 and 13).</summary>
internal static class RegionsCommand
{
    private const double MaxFactor = 4;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(1_000_000);
        var factors = new ListOption<double>(
            "--factors", "The size of the mutable region, as a part of the records loaded.",
            "0.1,0.25,0.4,0.55,0.7,0.8,0.9,1", TryParseFactor, "parts above 0 and up to 4");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform,zipf");
        ListOption<int> threads = DriverOptions.ThreadCounts("2");
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 3);
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command(
            "regions", "Read-modify-writes by the size of the mutable region: throughput, log growth, fuzzy updates.")
        {
            keys, factors, distributions, threads, seconds, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            RegionExperiment[] experiments =
            [
                .. from distribution in distributions.ValuesOf(parsed)
                   from count in threads.ValuesOf(parsed)
                   from factor in factors.ValuesOf(parsed)
                   select new RegionExperiment(parsed.GetValue(keys), factor, distribution, count),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<RegionResult> measured = await Progress.MeasureAsync(
                experiments,
                experiment => FormattableString.Invariant(
                    $"{EnumNames.Of(experiment.Distribution)}, {experiment.Threads} threads, {experiment.Factor}"),
                experiment => experiment.RunAsync(parsed.GetValue(data), parsed.GetValue(seconds)), cancellationToken);
            await output.WriteAsync(parsed, RegionTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static bool TryParseFactor(string text, out double factor) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out factor)
        && factor is > 0 and <= MaxFactor;
}
