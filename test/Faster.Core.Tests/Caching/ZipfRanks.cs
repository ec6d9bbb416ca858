namespace Faster.Tests.Caching;

/// <summary>Ranks drawn by Zipf's law, as YCSB draws them.</summary>
internal sealed class ZipfRanks
{
    private readonly double _theta;
    private readonly double _sum;
    private readonly double _eta;
    private readonly int _count;

    public ZipfRanks(int count, double theta)
    {
        (_count, _theta) = (count, theta);
        for (int rank = 1; rank <= count; rank++) _sum += Math.Pow(rank, -theta);
        _eta = (1 - Math.Pow(2.0 / count, 1 - theta)) / (1 - ((1 + Math.Pow(0.5, theta)) / _sum));
    }

    public long Next(Random random)
    {
        double u = random.NextDouble();
        if (u * _sum < 1) return 0;
        if (u * _sum < 1 + Math.Pow(0.5, _theta)) return 1;
        return Math.Min((long)(_count * Math.Pow((_eta * u) - _eta + 1, 1 / (1 - _theta))), _count - 1);
    }
}
