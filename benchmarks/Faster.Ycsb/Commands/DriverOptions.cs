using System.CommandLine;
using System.Globalization;
using Faster.Workload;
using Faster.Workload.Cells;
using Faster.Workload.Experiments;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Commands;

/// <summary>The options that several commands share.</summary>
internal static class DriverOptions
{
    /// <summary>The most keys for each 8 bytes of an index.</summary>
    public const int MaxKeysPerBucket = 1024;

    private const int MaxThreads = 256;
    private const double MaxTheta = 5;

    /// <summary>Which engines run whose stores commit.</summary>
    public static ListOption<EngineEntry> Engines(string fallback) =>
        Engines("--engines", fallback, EngineCatalog.Entries.Values.Where(e => e.Forms.Count > 0));

    /// <summary>Which engines run, of all.</summary>
    public static ListOption<EngineEntry> AllEngines(string fallback) =>
        Engines("--engines", fallback, EngineCatalog.Entries.Values);

    /// <summary>Which engines run whose logs are compacted.</summary>
    public static ListOption<EngineEntry> CompactingEngines(string fallback) =>
        Engines("--engines", fallback, EngineCatalog.Entries.Values.Where(e => e.Compactions.Count > 0));

    /// <summary>Which engines run that acknowledge durable writes.</summary>
    public static ListOption<EngineEntry> DurableEngines(string fallback) =>
        Engines("--engines", fallback, EngineCatalog.Durable.Values);

    /// <summary>Which engines run that have transactions.</summary>
    public static ListOption<EngineEntry> TransactionEngines(string fallback) =>
        Engines("--engines", fallback, EngineCatalog.Transactions.Values);

    /// <summary>How writes wait until they are durable.</summary>
    public static ListOption<WriteShape> Forms(string fallback) => new(
        "--forms", "How many writes wait at once, and how.", fallback, WriteShape.TryParse!,
        "forms such as blocking:8, awaited:8x64 and batches:8x64, numbers up to 1024");

    /// <summary>How stores commit.</summary>
    public static ListOption<CommitForm> Kinds(string fallback) => new(
        "--kinds", "How stores commit.", fallback, FormNames.TryParse,
        $"one or more of {string.Join(", ", FormNames.All)}");

    /// <summary>What operations do.</summary>
    public static ListOption<Mix> Mixes(string fallback) => new(
        "--mixes", "Reads and blind updates in percent, as 90:10, or rmw.", fallback, Mix.TryParse!,
        "mixes: reads:updates that add up to 100, or rmw");

    /// <summary>How keys are drawn.</summary>
    public static ListOption<KeyDistribution> Distributions(string fallback) => new(
        "--distributions", "How keys are drawn.", fallback, TryParseSimple, "uniform or zipf or both");

    /// <summary>How keys are drawn, of all ways.</summary>
    public static ListOption<KeyDistribution> AllDistributions(string fallback) => new(
        "--distribution", "How keys are drawn.", fallback, EnumNames.TryParse,
        $"one or more of {string.Join(", ", Enum.GetValues<KeyDistribution>().Select(EnumNames.Of))}");

    /// <summary>What operations do, of all workloads.</summary>
    public static ListOption<YcsbWorkload> Workloads(string fallback) => new(
        "--workload", "What operations do.", fallback, YcsbWorkload.TryParse!,
        $"one or more of {string.Join(", ", YcsbWorkload.Names)}, or mixes reads:updates that add up to 100");

    /// <summary>How many threads work, one or more counts.</summary>
    public static ListOption<int> ThreadCounts(string fallback) => new(
        "--threads", "How many threads work.", fallback, TryParseThreads, $"numbers from 1 to {MaxThreads}");

    /// <summary>How many threads work, one count.</summary>
    public static Option<int> Threads(int fallback) =>
        Options.Number("--threads", "How many threads work.", fallback, 1, MaxThreads);

    /// <summary>How often everything is measured.</summary>
    public static Option<int> Runs(int fallback) =>
        Options.Number("--runs", "How often to measure each engine; engines take turns.", fallback, 1, 99);

    /// <summary>Where stores are kept while they are measured.</summary>
    public static Option<string?> Data() => new("--data")
    {
        Description = "An existing folder on the disk to measure; stores are made in folders below it and removed. "
            + "Without it, the system's temporary folder.",
    };

    /// <summary>The skew of keys.</summary>
    public static Option<double> Theta()
    {
        var option = new Option<double>("--theta")
        {
            Description = "The skew of zipf and latest.", DefaultValueFactory = _ => ZipfRanks.DefaultTheta,
        };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<double>() is not (>= 0 and <= MaxTheta))
                result.AddError(string.Create(
                    CultureInfo.InvariantCulture, $"--theta must be from 0 to {MaxTheta}."));
        });
        return option;
    }

    /// <summary>The size of an index that keeps it.</summary>
    public static Option<int> KeysPerBucket() => Options.Number(
        "--keys-per-bucket", "The keys for each 8 bytes of an index of fixed size: of hotring, chaining, faster and "
        + "FASTER C#; 0 for an index of their own size, which the others always have.", 0, 0, MaxKeysPerBucket);

    /// <summary>Recorded requests.</summary>
    public static Option<string?> Trace() => new("--trace")
    {
        Description = "A file with the keys of recorded requests; .gz is unpacked.",
    };

    /// <summary>How recorded requests name their keys.</summary>
    public static Option<TraceFormat> Format() => new("--format") { Description = "How the trace names its keys." };

    /// <summary>Where keys come from: a trace alone, where one is given and no distribution.</summary>
    /// <exception cref="UsageException">A trace is asked for that is not there.</exception>
    public static (string? Trace, KeyDistribution[] Distributions) KeysOf(
        ParseResult parsed, Option<string?> trace, ListOption<KeyDistribution> distributions)
    {
        string? file = parsed.GetValue(trace);
        if (file is not null && !File.Exists(file))
            throw new UsageException($"--trace: there is no file '{file}'.");
        bool isChosen = parsed.GetResult(distributions) is { Implicit: false };
        KeyDistribution[] chosen = file is not null && !isChosen
            ? [KeyDistribution.Trace]
            : distributions.ValuesOf(parsed);
        return file is not null || !chosen.Contains(KeyDistribution.Trace)
            ? (file, chosen)
            : throw new UsageException("--distribution trace needs a file of requests: --trace FILE.");
    }

    /// <summary>Where the measurements go.</summary>
    public static Option<string?> Json() => new("--json") { Description = "A file for the measurements, as JSON." };

    /// <summary>Where the plot goes.</summary>
    public static Option<string?> Svg() => new("--svg") { Description = "A file for a plot of the measurements." };

    /// <summary>A number of bytes.</summary>
    /// <param name="name">The option.</param>
    /// <param name="description">What it is for.</param>
    /// <param name="allowed">A sign that may stand in front.</param>
    public static Option<string?> Bytes(string name, string description, string allowed = "")
    {
        var option = new Option<string?>(name) { Description = description };
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<string?>() is { } text && !TryParse(text, allowed, out _))
                result.AddError($"{name} takes a size such as 512MB or 4GB; '{text}' is not one.");
        });
        return option;
    }

    /// <summary>The bytes that a user gave, or null.</summary>
    public static long? BytesOf(ParseResult parsed, Option<string?> option) =>
        parsed.GetValue(option) is { } text && TryParse(text, "+", out long bytes) ? bytes : null;

    private static bool TryParseThreads(string text, out int threads) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out threads)
        && threads is >= 1 and <= MaxThreads;

    private static bool TryParseSimple(string text, out KeyDistribution distribution) =>
        EnumNames.TryParse(text, out distribution) && distribution is KeyDistribution.Uniform or KeyDistribution.Zipf;

    private static ListOption<EngineEntry> Engines(string name, string fallback, IEnumerable<EngineEntry> engines)
    {
        Dictionary<string, EngineEntry> known = engines.ToDictionary(e => e.Name);
        return new ListOption<EngineEntry>(
            name, "The engines, in the order in which they take turns.", fallback, known.TryGetValue!,
            $"one or more of {string.Join(", ", known.Keys)}");
    }

    private static bool TryParse(string text, string allowed, out long bytes) =>
        ByteCount.TryParse(allowed.Length != 0 && text.StartsWith(allowed, StringComparison.Ordinal)
            ? text[allowed.Length..]
            : text, out bytes);
}
