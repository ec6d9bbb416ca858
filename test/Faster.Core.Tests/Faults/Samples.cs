using System.Globalization;

namespace Faster.Tests.Faults;

/// <summary>What a process has held after more and more work: how much it grows, however single samples vary.</summary>
/// <param name="samples">The figures of each sample by name; "work" is how much had been done.</param>
internal sealed class Samples(IReadOnlyList<Dictionary<string, double>> samples)
{
    /// <summary>What a line that is a sample has in it.</summary>
    public const string Mark = " work=";

    private static readonly string[] Stepping = ["native", "resident"];

    /// <summary>How many there are.</summary>
    public int Count => samples.Count;

    /// <summary>The lines of one kind among what a program has printed.</summary>
    public static Samples Parse(string text, string kind = "sample") => new([.. text.Split('\n')
        .Where(line => line.StartsWith(kind + Mark, StringComparison.Ordinal))
        .Select(static line => line.Split(' ').Skip(1).Select(static word => word.Split('=')).ToDictionary(
            static pair => pair[0], static pair => double.Parse(pair[1], CultureInfo.InvariantCulture)))]);

    /// <summary>
    /// How much more of something is held after the last sample than after the first, by the median of the slopes
    /// between any two samples (Theil and Sen): a few samples that are far off do not change it.
    /// </summary>
    public double GrowthOf(string name) => GrowthOf(name, 0, samples.Count);

    /// <summary>
    /// What grows by more than its noise, with how much; empty when nothing does. Memory of the system also grows in
    /// steps, such as by what the runtime's collector needs: a leak grows in either half of the samples, a step in one
    /// of them.
    /// </summary>
    public IReadOnlyList<string> GrowingBeyond(IReadOnlyDictionary<string, double> noise) => [.. noise
        .Where(limit => GrowthOf(limit.Key) > limit.Value
            && (!Stepping.Contains(limit.Key) || GrowsInHalves(limit.Key, limit.Value / 4)))
        .Select(limit => $"{limit.Key} grows by {GrowthOf(limit.Key):N0}, more than {limit.Value:N0}")];

    private bool GrowsInHalves(string name, double by)
    {
        int middle = samples.Count / 2;
        return GrowthOf(name, 0, middle + 1) > by && GrowthOf(name, middle, samples.Count) > by;
    }

    private double GrowthOf(string name, int start, int end)
    {
        var slopes = new List<double>();
        for (int i = start; i < end; i++)
        {
            for (int j = i + 1; j < end; j++)
                slopes.Add((samples[j][name] - samples[i][name]) / (samples[j]["work"] - samples[i]["work"]));
        }

        slopes.Sort();
        double median = (slopes[(slopes.Count - 1) / 2] + slopes[slopes.Count / 2]) / 2;
        return median * (samples[end - 1]["work"] - samples[start]["work"]);
    }
}
