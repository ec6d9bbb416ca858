namespace Faster.Workload;

/// <summary>Draws ranks with a Zipf distribution in constant time, after summing the harmonic series once.</summary>
/// <remarks>The approximation by Gray et al., "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994),
/// which YCSB uses too. Immutable: threads may share it.</remarks>
internal sealed class ZipfRanks
{
    /// <summary>The skew of YCSB's Zipf distribution.</summary>
    public const double DefaultTheta = 0.99;

    private const double NearOne = 1e-6;

    private readonly int _count;
    private readonly double _secondWeight;
    private readonly double _harmonic;
    private readonly double _alpha;
    private readonly double _eta;

    /// <summary>Prepares to draw among <paramref name="count"/> ranks; takes time in proportion to it.</summary>
    /// <param name="count">How many ranks there are.</param>
    /// <param name="theta">The skew, 0 or more; the formula has a gap at 1, where a neighbour stands in.</param>
    public ZipfRanks(int count, double theta = DefaultTheta)
    {
        double skew = Math.Abs(theta - 1) < NearOne ? 1 - NearOne : theta;
        _count = count;
        _secondWeight = Math.Pow(2, -skew);
        _harmonic = Harmonic(count, skew);
        _alpha = 1 / (1 - skew);
        _eta = (1 - Math.Pow(2.0 / count, 1 - skew)) / (1 - ((1 + _secondWeight) / _harmonic));
    }

    /// <summary>A rank; 0 is the most frequent.</summary>
    public int Next(ref SplitMix64 random)
    {
        double unit = random.NextUnit();
        double scaled = unit * _harmonic;
        if (scaled < 1)
            return 0;
        if (scaled < 1 + _secondWeight)
            return 1;
        return Math.Min(_count - 1, (int)(_count * Math.Pow(_eta * unit - _eta + 1, _alpha)));
    }

    /// <summary>The part of all draws whose rank is below <paramref name="rank"/>.</summary>
    /// <remarks>The inverse of what <see cref="Next"/> computes, so its approximation is in it.</remarks>
    public double PartBelow(int rank) => rank switch
    {
        <= 0 => 0,
        1 => 1 / _harmonic,
        _ when rank >= _count => 1,
        _ => (Math.Pow((double)rank / _count, 1 / _alpha) - 1 + _eta) / _eta,
    };

    private static double Harmonic(int count, double skew)
    {
        double sum = 0;
        for (int i = 1; i <= count; i++)
            sum += Math.Pow(i, -skew);
        return sum;
    }
}
