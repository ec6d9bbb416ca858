using System.Globalization;

namespace Faster.Ycsb.Reports;

/// <summary>The least, the middle and the greatest of repeated measurements.</summary>
internal readonly record struct Spread(double Least, double Median, double Greatest)
{
    /// <summary>The spread of some values.</summary>
    /// <exception cref="ArgumentException">There is none.</exception>
    public static Spread Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        if (sorted.Length == 0)
            throw new ArgumentException("Nothing was measured.", nameof(values));
        int middle = sorted.Length / 2;
        double median = sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted[0], median, sorted[^1]);
    }

    /// <summary>The spread in another unit.</summary>
    public Spread Times(double factor) => new(Least * factor, Median * factor, Greatest * factor);

    /// <summary>The median, and in brackets the least and the greatest where they differ.</summary>
    public string ToString(string format)
    {
        string median = Median.ToString(format, CultureInfo.InvariantCulture);
        string least = Least.ToString(format, CultureInfo.InvariantCulture);
        string greatest = Greatest.ToString(format, CultureInfo.InvariantCulture);
        return least == greatest ? median : $"{median} ({least}–{greatest})";
    }
}
