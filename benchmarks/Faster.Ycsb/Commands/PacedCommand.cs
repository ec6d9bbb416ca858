using System.CommandLine;
using System.Globalization;
using Faster.Workload;
using Faster.Workload.Engines;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Awaited;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that measures what awaited writes of one session take from the reads of a thread.</summary>
internal static class PacedCommand
{
    private const double MostSliceSeconds = 0.4;

    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Number(
            "--keys", "How many keys to load, with values of 100 bytes.", 1_000_000, 1, 1 << 28);
        var percents = new ListOption<int>(
            "--writes", "The part of all operations that writes, in percent.", "2,15,50", TryParsePercent,
            "numbers from 1 to 99");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform");
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each pace.", 20);
        Option<IEngineSource> engine = Store("--engine", "The engine", StoreNames.SingleDurable);
        Option<IEngineSource> beside = Store("--beside", "The engine that it is compared with", StoreNames.Single);
        Option<string?> memory = DriverOptions.Bytes(
            "--memory", "Each store's memory for records, index and logs; without it, room for what is loaded.");
        Option<string?> data = DriverOptions.Data();
        var output = new Output();
        var command = new Command("paced", "Reads of one thread beside awaited writes of another, of two engines.")
        {
            keys, percents, distributions, seconds, engine, beside, memory, data,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            var shape = new EngineShape(
                parsed.GetValue(keys), DurableSettings.ValueBytes, DriverOptions.BytesOf(parsed, memory));
            using DataFolder folder = DataFolder.Create(parsed.GetValue(data));
            (KeyDistribution Distribution, int Percent)[] steps =
            [
                .. from distribution in distributions.ValuesOf(parsed)
                   from percent in percents.ValuesOf(parsed)
                   select (distribution, percent),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            (string, IDurableEngine Store) first = await OpenAsync(parsed.GetValue(engine)!, folder, "engine", shape);
            await using IDurableEngine opened = first.Store;
            (string, IDurableEngine Store) second = await OpenAsync(parsed.GetValue(beside)!, folder, "beside", shape);
            await using IDurableEngine openedBeside = second.Store;
            double length = parsed.GetValue(seconds);
            var experiment = new PacedExperiment(first, second, (int)shape.Keys)
            {
                SliceSeconds = Math.Min(length / 2, MostSliceSeconds),
            };
            List<PacedResult> measured = await Progress.MeasureAsync(
                steps,
                step => string.Create(
                    CultureInfo.InvariantCulture, $"{step.Percent} % writes, {EnumNames.Of(step.Distribution)}"),
                step => experiment.RunAsync(step.Distribution, step.Percent, length),
                cancellationToken);
            await output.WriteAsync(parsed, PacedTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static Option<IEngineSource> Store(string name, string description, string fallback)
    {
        Dictionary<string, IEngineSource> known = AwaitedSource.All.ToDictionary(s => s.Name);
        string names = string.Join(", ", known.Keys);
        return new Option<IEngineSource>(name)
        {
            Description = $"{description}: one of {names}.",
            DefaultValueFactory = _ => known[fallback],
            CustomParser = result =>
            {
                if (known.TryGetValue(result.Tokens[0].Value, out IEngineSource? source))
                    return source;
                result.AddError($"{name} takes one of {names}.");
                return null!;
            },
        };
    }

    private static async Task<(string Name, IDurableEngine Store)> OpenAsync(
        IEngineSource source, DataFolder folder, string name, EngineShape shape)
    {
        string path = Directory.CreateDirectory(Path.Combine(folder.Path, name)).FullName;
        var store = (IDurableEngine)await source.OpenAsync(path, shape);
        AnswerCheck.Load(store, (int)shape.Keys);
        return (source.Name, store);
    }

    private static bool TryParsePercent(string text, out int percent) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out percent) && percent is >= 1 and <= 99;
}
