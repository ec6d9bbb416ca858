using System.Globalization;

namespace Faster.Benchmarks.Micro;

/// <summary>How many keys the micro-benchmarks load.</summary>
internal static class MicroKeys
{
    private const string Variable = "FASTER_BENCH_KEYS";

    /// <summary>One million, or what the environment variable lists, separated by commas.</summary>
    public static IEnumerable<int> Counts =>
        (Environment.GetEnvironmentVariable(Variable) ?? "1000000").Split(',')
        .Select(text => int.Parse(text, CultureInfo.InvariantCulture));
}
