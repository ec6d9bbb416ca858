namespace Faster.Workload;

/// <summary>Draws ranks with a Zipf distribution in constant time, after summing the harmonic series once.</summary>
/// <remarks>The approximation by Gray et al., "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994),
/// which YCSB uses too. Immutable: threads may share it.</remarks>
internal sealed class ZipfRanks
{
    /// <summary>The skew of YCSB's Zipf distribution.</summary>
    public const double Theta = 0.99;

    private static readonly double SecondWeight = Math.Pow(2, -Theta);

    private readonly int _count;
    private readonly double _harmonic;
    private readonly double _alpha;
    private readonly double _eta;

    /// <summary>Prepares to draw among <paramref name="count"/> ranks; takes time in proportion to it.</summary>
    public ZipfRanks(int count)
    {
        _count = count;
        _harmonic = Harmonic(count);
        _alpha = 1 / (1 - Theta);
        _eta = (1 - Math.Pow(2.0 / count, 1 - Theta)) / (1 - (1 + SecondWeight) / _harmonic);
    }

    /// <summary>A rank; 0 is the most frequent.</summary>
    public int Next(ref SplitMix64 random)
    {
        double unit = random.NextUnit();
        double scaled = unit * _harmonic;
        if (scaled < 1)
            return 0;
        if (scaled < 1 + SecondWeight)
            return 1;
        return Math.Min(_count - 1, (int)(_count * Math.Pow(_eta * unit - _eta + 1, _alpha)));
    }

    private static double Harmonic(int count)
    {
        double sum = 0;
        for (int i = 1; i <= count; i++)
            sum += Math.Pow(i, -Theta);
        return sum;
    }
}
