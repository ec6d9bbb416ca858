namespace Faster.Workload.Experiments;

/// <summary>The median of repeated measurements, with its interval of confidence of 95 %.</summary>
/// <param name="Low">The interval's lower end.</param>
/// <param name="Median">The median.</param>
/// <param name="High">The interval's upper end.</param>
internal readonly record struct MedianInterval(double Low, double Median, double High)
{
    /// <summary>By the order of the values, whatever their distribution is; of few values, their extremes.</summary>
    /// <exception cref="ArgumentException">There is none.</exception>
    public static MedianInterval Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        if (sorted.Length == 0) throw new ArgumentException("Nothing was measured.", nameof(values));
        int middle = sorted.Length / 2, away = (int)Math.Ceiling(0.98 * Math.Sqrt(sorted.Length));
        return new MedianInterval(
            sorted[Math.Max(middle - away, 0)], sorted[middle], sorted[Math.Min(middle + away, sorted.Length - 1)]);
    }
}
