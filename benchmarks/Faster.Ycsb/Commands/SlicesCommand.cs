using System.CommandLine;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Inside;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The command that compares engines in memory with the bare table, in turns of milliseconds.</summary>
internal static class SlicesCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create()
    {
        Option<int> keys = Options.Keys(8_000_000);
        var engines = new ListOption<IEngineSource>(
            "--engines", "The engines; the bare table that each is compared with is added.",
            "faster,faster-batch,dictionary",
            EngineCatalog.OwnEngines.ToDictionary(e => e.Name).TryGetValue!,
            $"one or more of {string.Join(", ", EngineCatalog.OwnEngines.Select(e => e.Name))}");
        ListOption<YcsbWorkload> workloads = DriverOptions.Workloads("c,upsert,rmw");
        ListOption<KeyDistribution> distributions = DriverOptions.Distributions("uniform");
        ListOption<int> threads = DriverOptions.ThreadCounts("1");
        Option<double> seconds = Options.Seconds("--seconds", "How long to measure each workload.", 4);
        Option<double> theta = DriverOptions.Theta();
        Option<int> ratio = DriverOptions.KeysPerBucket();
        Option<int> valueBytes = Options.Number(
            "--value-size", "The size of each value, in bytes; above 8, hotring replaces records to update them.",
            sizeof(long), sizeof(long), CellOptions.MaxValueBytes);
        var beside = new Option<string?>("--beside")
        {
            Description = "The one of the engines that the others are compared with, instead of the bare table.",
        };
        var spread = new Option<bool>("--spread-keys")
        {
            Description = "Keys are spread over all positive integers instead of 0, 1, 2 …",
        };
        var output = new Output();
        var command = new Command(
            "slices", "Engines in memory in turns of milliseconds, and their share of the bare table's throughput.")
        {
            keys, engines, workloads, distributions, threads, seconds, theta, ratio, spread, valueBytes, beside,
        };
        output.AddTo(command);
        command.SetGuarded(async (parsed, cancellationToken) =>
        {
            output.Check(parsed);
            string? other = parsed.GetValue(beside);
            IEngineSource[] asked = engines.ValuesOf(parsed);
            if (other is not null && asked.All(e => e.Name != other))
                throw new UsageException($"--beside: '{other}' is none of the engines that are measured.");
            IEngineSource[] sources = other is null ? WithYardsticks(asked) : asked;
            var shape = new EngineShape(parsed.GetValue(keys), parsed.GetValue(valueBytes), null)
            {
                KeysPerBucket = parsed.GetValue(ratio) is > 0 and var perBucket ? perBucket : null,
            };
            (YcsbWorkload Workload, KeyDistribution Distribution, int Threads)[] steps =
            [
                .. from count in threads.ValuesOf(parsed)
                   from distribution in distributions.ValuesOf(parsed)
                   from workload in workloads.ValuesOf(parsed)
                   where workload.Update != UpdateKind.Insert
                   select (workload, distribution, count),
            ];
            DateTimeOffset started = DateTimeOffset.Now;
            List<SliceResult> measured = await MeasureAsync(
                sources, shape,
                opened => new SliceExperiment(opened, (int)shape.Keys)
                {
                    Beside = other, Theta = parsed.GetValue(theta), Names = new KeyNames(parsed.GetValue(spread)),
                },
                steps, parsed.GetValue(seconds), cancellationToken);
            await output.WriteAsync(parsed, SliceTable.Render(measured), started, measured, cancellationToken);
        });
        return command;
    }

    private static IEngineSource[] WithYardsticks(IEngineSource[] sources) =>
    [
        .. sources,
        .. sources.Select(s => SliceExperiment.YardstickOf(s.Name)).Distinct()
            .Where(name => sources.All(s => s.Name != name))
            .Select(name => EngineCatalog.OwnEngines.Single(e => e.Name == name)),
    ];

    private static async Task<List<SliceResult>> MeasureAsync(
        IEngineSource[] sources, EngineShape shape,
        Func<IReadOnlyList<(string Name, IEngine Engine)>, SliceExperiment> make,
        (YcsbWorkload Workload, KeyDistribution Distribution, int Threads)[] steps, double seconds,
        CancellationToken cancellationToken)
    {
        foreach (IEngineSource source in sources)
        {
            if (source.Refuses(shape) is { } why)
                throw new UsageException($"{source.Name}: {why}.");
        }

        using DataFolder folder = DataFolder.Create(null);
        var opened = new List<(string Name, IEngine Engine)>();
        try
        {
            foreach (IEngineSource source in sources)
            {
                string own = Path.Combine(folder.Path, source.Name);
                Directory.CreateDirectory(own);
                opened.Add((source.Name, await source.OpenAsync(own, shape)));
            }

            SliceExperiment experiment = make(opened);
            return await Progress.ShowAsync(steps.Length, progress =>
            {
                var results = new List<SliceResult>();
                foreach ((YcsbWorkload workload, KeyDistribution distribution, int threads) in steps)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    string name = $"{workload.Name}, {EnumNames.Of(distribution)}, {Figures.Threads(threads)}";
                    progress.Begin(name);
                    IReadOnlyList<SliceResult> step = experiment.Run(workload, distribution, threads, seconds);
                    results.AddRange(step);
                    progress.End(name, string.Join("; ", step.Select(
                        r => $"{r.Engine} {Figures.Rate(r.OperationsPerSecond)}")));
                }

                return Task.FromResult(results);
            });
        }
        finally
        {
            foreach ((_, IEngine engine) in opened)
                await engine.DisposeAsync();
        }
    }
}
