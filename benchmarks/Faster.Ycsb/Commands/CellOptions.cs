using System.CommandLine;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>The options that say which cells are measured, shared by all commands that measure throughput.</summary>
internal sealed class CellOptions
{
    /// <summary>The largest values, in bytes.</summary>
    public const int MaxValueBytes = 1 << 20;

    private readonly Option<int> _keys = Options.Number("--keys", "How many keys to load.", 8_000_000, 1, 1 << 30);
    private readonly ListOption<YcsbWorkload> _workloads;
    private readonly ListOption<KeyDistribution> _distributions;
    private readonly ListOption<int> _threads;
    private readonly Option<double> _theta = DriverOptions.Theta();
    private readonly Option<double> _seconds = Options.Seconds(
        "--seconds", "How long to measure each time, after the warm-up.", 5);
    private readonly Option<double> _warmUp = Options.Seconds(
        "--warm-up", "How long the same goes on before it is measured, so that caches fill and code is compiled.", 1);
    private readonly Option<int> _runs;
    private readonly Option<int> _valueBytes = Options.Number(
        "--value-size", "The size of each value, in bytes.", sizeof(long), sizeof(long), MaxValueBytes);
    private readonly Option<string?> _memory = DriverOptions.Bytes(
        "--memory", "A store's memory for records, index and caches, such as 512MB; without it, room for all.");
    private readonly Option<string?> _disk = DriverOptions.Bytes(
        "--disk-budget", "The space that our stores and FASTER C# may take on disk; they compact to keep to it.");
    private readonly Option<string?> _limit = DriverOptions.Bytes(
        "--limit",
        "The most memory that a process may take for its engine, page cache included, such as 1GB; +700MB: so much "
        + "beside --memory.", allowed: "+");
    private readonly Option<int> _keysPerBucket = DriverOptions.KeysPerBucket();
    private readonly Option<string?> _trace = DriverOptions.Trace();
    private readonly Option<TraceFormat> _format = DriverOptions.Format();
    private readonly Option<bool> _verify = new("--verify")
    {
        Description = "Check every value after each measurement, also where --memory makes that long.",
    };
    private readonly Option<string?> _data = DriverOptions.Data();

    /// <summary>Makes the options.</summary>
    /// <param name="workloads">The workloads unless the user says otherwise.</param>
    /// <param name="threads">The thread counts unless the user says otherwise.</param>
    /// <param name="runs">How often to measure unless the user says otherwise.</param>
    public CellOptions(string workloads, string threads, int runs)
    {
        _workloads = DriverOptions.Workloads(workloads);
        _distributions = DriverOptions.AllDistributions("uniform");
        _threads = DriverOptions.ThreadCounts(threads);
        _runs = DriverOptions.Runs(runs);
    }

    /// <summary>Gives a command the options.</summary>
    public void AddTo(Command command)
    {
        foreach (Option option in new Option[]
            {
                _keys, _workloads, _distributions, _theta, _threads, _seconds, _warmUp, _runs, _valueBytes,
                _memory, _disk, _limit, _keysPerBucket,
                _trace, _format, _verify, _data,
            })
            command.Add(option);
    }

    /// <summary>How often everything is measured.</summary>
    public int Runs(ParseResult parsed) => parsed.GetValue(_runs);

    /// <summary>Where stores are kept, or null.</summary>
    public string? Data(ParseResult parsed) => parsed.GetValue(_data);

    /// <summary>The limit of memory, or null.</summary>
    public MemoryLimit? Limit(ParseResult parsed) => DriverOptions.BytesOf(parsed, _limit) is { } bytes
        ? new MemoryLimit(bytes, parsed.GetValue(_limit)!.StartsWith('+'))
        : null;

    /// <summary>What a user asked for, as one load of all cells.</summary>
    /// <exception cref="UsageException">The options do not fit together.</exception>
    public LoadSettings SettingsOf(ParseResult parsed)
    {
        (string? trace, KeyDistribution[] distributions) = DriverOptions.KeysOf(parsed, _trace, _distributions);
        bool givesKeys = parsed.GetResult(_keys) is { Implicit: false };
        return new LoadSettings
        {
            Keys = trace is not null && !givesKeys ? 1 : parsed.GetValue(_keys),
            ValueBytes = parsed.GetValue(_valueBytes),
            MemoryBytes = DriverOptions.BytesOf(parsed, _memory),
            DiskBytes = DriverOptions.BytesOf(parsed, _disk),
            KeysPerBucket = parsed.GetValue(_keysPerBucket) is > 0 and var perBucket ? perBucket : null,
            Seconds = parsed.GetValue(_seconds),
            WarmUpSeconds = parsed.GetValue(_warmUp),
            Verify = parsed.GetValue(_verify),
            Trace = trace is null ? null : Path.GetFullPath(trace),
            TraceFormat = parsed.GetValue(_format),
            Cells = CellsOf(parsed, distributions),
        };
    }

    /// <summary>Leaves engines out that can't run such stores here, and says why.</summary>
    /// <exception cref="UsageException">None is left.</exception>
    public static EngineEntry[] Fitting(EngineEntry[] engines, LoadSettings settings) => Fitting(
        engines,
        new EngineShape(settings.Keys, settings.ValueBytes, settings.MemoryBytes)
        {
            DiskBytes = settings.DiskBytes, KeysPerBucket = settings.KeysPerBucket,
        });

    /// <inheritdoc cref="Fitting(EngineEntry[], LoadSettings)"/>
    public static EngineEntry[] Fitting(EngineEntry[] engines, EngineShape shape)
    {
        var fitting = new List<EngineEntry>();
        foreach (EngineEntry engine in engines)
        {
            if (engine.Refuses(shape) is { } reason)
                Progress.Note($"{engine.Name} is left out: {reason}.");
            else
                fitting.Add(engine);
        }

        return fitting.Count != 0
            ? [.. fitting]
            : throw new UsageException("--engines: none of these can run so here.");
    }

    private CellSettings[] CellsOf(ParseResult parsed, KeyDistribution[] distributions)
    {
        foreach (YcsbWorkload workload in _workloads.ValuesOf(parsed))
        {
            if (distributions.FirstOrDefault(d => !workload.Allows(d)) is var refused && refused != default)
            {
                throw new UsageException(
                    $"--distribution {EnumNames.Of(refused)} is for workload d, which inserts; {workload.Name} does "
                    + "not.");
            }
        }

        return
        [
            .. (from distribution in distributions
                from workload in _workloads.ValuesOf(parsed)
                from threads in _threads.ValuesOf(parsed)
                let drawn = workload.DistributionFor(distribution)
                select new CellSettings(workload.Name, drawn, parsed.GetValue(_theta), threads)).Distinct(),
        ];
    }
}
