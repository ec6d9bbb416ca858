using System.CommandLine;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that varies the bits of the index's tags (paper 000, §7.2.2).</summary>
internal static class TagsCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(8_000_000);
        var bits = new ListOption<int>(
            "--bits", "How many bits of a tag differ.", string.Join(',', TagExperiment.Bits),
            (string text, out int value) => int.TryParse(text, out value) && TagExperiment.Bits.Contains(value),
            $"numbers of {string.Join(", ", TagExperiment.Bits)}");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform");
        Option<int> threads = DriverOptions.Threads(2);
        Option<int> runs = DriverOptions.Runs(3);
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 2);
        var output = new Output();
        var command = new Command("tags", "Half reads, half blind updates in memory, by the bits of the index's tags.")
        {
            keys, bits, distributions, threads, runs, seconds,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            (int Run, KeyDistribution Distribution, int Bits)[] turns =
            [
                .. from run in Enumerable.Range(1, parsed.GetValue(runs))
                   from distribution in distributions.ValuesOf(parsed)
                   from count in bits.ValuesOf(parsed)
                   select (run, distribution, count),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<TagResult> measured = await Progress.MeasureAsync(
                turns, turn => $"run {turn.Run}, {EnumNames.Of(turn.Distribution)}, {turn.Bits} bits",
                async turn => await TagExperiment.RunAsync(
                    turn.Bits, parsed.GetValue(keys), turn.Distribution, parsed.GetValue(threads),
                    parsed.GetValue(seconds)) with { Run = turn.Run },
                cancellationToken);
            await output.WriteAsync(parsed, TagTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }
}
