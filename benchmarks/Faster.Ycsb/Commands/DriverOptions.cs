using System.CommandLine;
using System.Globalization;
using Faster.Workload;
using Faster.Workload.Experiments;
using Faster.Ycsb.Engines;

namespace Faster.Ycsb.Commands;

/// <summary>The options that several commands share.</summary>
internal static class DriverOptions
{
    private const int MostThreads = 256;

    /// <summary>Which engines run.</summary>
    public static Option<EngineEntry[]> Engines(string fallback) => ListOption.Create(
        "--engines", "The engines, in the order in which they take turns.", fallback,
        EngineCatalog.Entries.GetValueOrDefault, $"engines, of {string.Join(", ", EngineCatalog.Entries.Keys)}");

    /// <summary>How stores commit.</summary>
    public static Option<CommitForm[]> Kinds(string fallback) => ListOption.CreateOfValues(
        "--kinds", "How stores commit.", fallback, FormNames.TryParse, $"kinds, of {string.Join(", ", FormNames.All)}");

    /// <summary>What operations do.</summary>
    public static Option<Mix[]> Mixes(string fallback) => ListOption.Create(
        "--mixes", "Reads and blind updates in percent, as 90:10, or rmw.", fallback, Mix.TryParse,
        "mixes: reads:updates that add up to 100, or rmw");

    /// <summary>How keys are drawn.</summary>
    public static Option<KeyDistribution[]> Distributions(string fallback) => ListOption.CreateOfValues(
        "--distributions", "How keys are drawn.", fallback, TryParseDistribution, "distributions, of uniform, zipf");

    /// <summary>How many threads work, one or more counts.</summary>
    public static Option<int[]> ThreadCounts(string fallback) => ListOption.CreateOfValues(
        "--threads", "How many threads work.", fallback, text => TryParseNumber(text, 1, MostThreads),
        $"numbers from 1 to {MostThreads}");

    /// <summary>How many threads work, one count.</summary>
    public static Option<int> Threads(int fallback) =>
        Options.Number("--threads", "How many threads work.", fallback, 1, MostThreads);

    /// <summary>How often everything is measured.</summary>
    public static Option<int> Runs(int fallback) =>
        Options.Number("--runs", "How often to measure each engine; engines take turns.", fallback, 1, 99);

    /// <summary>Where stores are kept while they are measured.</summary>
    public static Option<string?> Data() => new("--data")
    {
        Description = "An existing folder on the disk to measure; stores are made in folders below it and removed. "
            + "Without it, the system's temporary folder.",
    };

    /// <summary>Where the measurements go.</summary>
    public static Option<string?> Json() => new("--json") { Description = "A file for the measurements, as JSON." };

    /// <summary>Where the plot goes.</summary>
    public static Option<string?> Svg() => new("--svg") { Description = "A file for a plot of the measurements." };

    /// <summary>A whole number within bounds, or null.</summary>
    public static int? TryParseNumber(string text, int least, int greatest) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int value)
        && value >= least && value <= greatest
            ? value
            : null;

    private static KeyDistribution? TryParseDistribution(string text)
    {
        foreach (KeyDistribution distribution in Enum.GetValues<KeyDistribution>())
        {
            if (ThroughputRun.NameOf(distribution).Equals(text, StringComparison.OrdinalIgnoreCase))
                return distribution;
        }

        return null;
    }
}
