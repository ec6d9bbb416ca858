using System.Globalization;

namespace Faster.Ycsb.Plotting;

/// <summary>The marks of an axis from 0 on, at round numbers: steps of 1, 2 or 5 times a power of ten.</summary>
internal sealed class Ticks
{
    private const int MaxDigits = 12;

    private static readonly int[] RoundSteps = [1, 2, 5, 10];

    private readonly string _format;

    /// <summary>Chooses marks.</summary>
    /// <param name="highest">What the axis must reach; an axis of nothing reaches 1.</param>
    /// <param name="most">The most steps.</param>
    public Ticks(double highest, int most)
    {
        double reach = highest > 0 && double.IsFinite(highest) ? highest : 1;
        double rough = reach / most;
        double power = Math.Pow(10, Math.Floor(Math.Log10(rough)));
        double step = RoundSteps.Select(m => m * power).First(s => s >= rough * (1 - 1e-9));
        int count = (int)Math.Ceiling(reach / step * (1 - 1e-9));
        int digits = Math.Clamp(-(int)Math.Floor(Math.Log10(step) + 1e-9), 0, MaxDigits);
        _format = "N" + digits.ToString(CultureInfo.InvariantCulture);
        Values = [.. Enumerable.Range(0, count + 1).Select(i => Math.Round(i * step, MaxDigits))];
    }

    /// <summary>Where the marks are; the last one is the axis's end.</summary>
    public IReadOnlyList<double> Values { get; }

    /// <summary>The end of the axis.</summary>
    public double End => Values[^1];

    /// <summary>How a mark is written, with as many digits as all of them need.</summary>
    public string Label(double value) => value.ToString(_format, CultureInfo.InvariantCulture);
}
