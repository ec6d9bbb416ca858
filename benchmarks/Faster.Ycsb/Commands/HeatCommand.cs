using System.CommandLine;
using System.Globalization;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that counts the memory accesses of reads on the engine HotRing (paper 002, §4).</summary>
internal static class HeatCommand
{
    private const double ShownTheta = 0.99, MaxTheta = 5;
    private const int MaxKeysPerBucket = 1024, MaxInterval = 1 << 16, ShiftKeysPerBucket = 8;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(1 << 20);
        var over = new Option<string>("--over")
        {
            Description = "What varies: the keys of a ring, or time: while other keys become hot, or the index grows.",
            DefaultValueFactory = _ => "ratio",
        };
        over.AcceptOnlyFromAmong("ratio", "shift", "growth");
        var thetas = new ListOption<double>(
            "--thetas", "The skews of the keys.", "0.5,0.8,0.99,1.22", TryParseTheta, $"numbers from 0 to {MaxTheta}");
        var ratios = new ListOption<int>(
            "--keys-per-bucket", "The keys of a ring.", "2,4,8,16",
            (string text, out int value) => TryParseNumber(text, MaxKeysPerBucket, out value),
            $"numbers from 1 to {MaxKeysPerBucket}");
        var intervals = new ListOption<int>(
            "--intervals", "After how many operations a session considers whether a hotspot has shifted, for --over "
            + "shift and growth.", "5",
            (string text, out int value) => TryParseNumber(text, MaxInterval, out value),
            $"numbers from 1 to {MaxInterval}");
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each time.", 2);
        Option<int> warmUp = Options.Number(
            "--warm-up", "How many reads a key, on average, come before anything is counted.", 32, 0, 1 << 10);
        var output = new Output();
        var command = new Command("heat", "Memory accesses of reads on the engine HotRing, counted.")
        {
            keys, over, thetas, ratios, intervals, seconds, warmUp,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            string what = parsed.GetValue(over)!;
            double length = parsed.GetValue(seconds);
            int count = parsed.GetValue(keys);
            (HotspotStrategy Strategy, double Theta, int Number)[] turns =
            [
                .. from strategy in Enum.GetValues<HotspotStrategy>()
                   from theta in what == "ratio" ? thetas.ValuesOf(parsed) : [ShownTheta]
                   from number in (what == "ratio" ? ratios : intervals).ValuesOf(parsed)
                   select (strategy, theta, number),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<StepResult> measured = await Progress.MeasureAsync(
                turns, turn => string.Create(
                    CultureInfo.InvariantCulture, $"{turn.Strategy}, theta {turn.Theta}, {turn.Number}"),
                async turn =>
                {
                    var experiment = new HeatExperiment(count, turn.Strategy)
                    {
                        WarmUpReads = parsed.GetValue(warmUp),
                    };
                    return what == "ratio"
                        ? (StepResult)await experiment.CountAsync(turn.Theta, turn.Number, length)
                        : await experiment.RunAsync(
                            turn.Theta, turn.Number, what == "shift" ? ShiftKeysPerBucket : null, length);
                },
                cancellationToken);
            await output.WriteAsync(parsed, HeatTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static bool TryParseTheta(string text, out double theta) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out theta)
        && theta <= MaxTheta;

    private static bool TryParseNumber(string text, int most, out int value) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value >= 1 && value <= most;
}
