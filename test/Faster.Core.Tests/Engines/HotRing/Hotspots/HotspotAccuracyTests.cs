using Faster.Contracts;
using Faster.Engines.HotRing;
using Faster.Engines.HotRing.Rings;
using Faster.Tests.Operations;
using Xunit.Abstractions;

namespace Faster.Tests.Engines.HotRing.Hotspots;

/// <summary>
/// The memory accesses of lookups, counted, against the fewest that any position of the heads could give for the same
/// rings and keys (paper 002, Fig. 10 and formula 6).
/// </summary>
public sealed class HotspotAccuracyTests(ITestOutputHelper output)
{
    private const int Keys = 1 << 12;

    private static readonly RecordSchema Schema = new(8, 8, 8, "key", "number");

    [Theory]
    [InlineData(0.5)]
    [InlineData(0.8)]
    [InlineData(0.99)]
    [InlineData(1.22)]
    public void Lookups_cost_little_more_than_the_optimum(double theta)
    {
        foreach (int ratio in (int[])[2, 4, 8, 16])
        {
            (double counted, double optimum) = Measure(theta, ratio);
            output.WriteLine($"theta {theta}, ratio {ratio}: counted {counted:0.000}, optimum {optimum:0.000}");
            Assert.InRange(counted, optimum * 0.97, optimum * 1.10);
        }
    }

    private static (double Counted, double Optimum) Measure(double theta, int ratio)
    {
        using var store = new HotRingStore(
            new HotRingOptions { Buckets = Keys / ratio, MaxAccesses = double.PositiveInfinity }, Schema);
        using HotRingSession session = store.StartSession();
        for (long key = 0; key < Keys; key++)
        {
            var put = new ProbedOperations.Put<SwapShape>(key, 8);
            _ = session.Upsert(new UnmanagedKey<long>(key), ref put);
        }

        double[] upTo = ZipfUpTo(theta);
        var random = new Random(7);
        Read(session, upTo, random, 250_000);
        SessionFigures before = Figures(session);
        Read(session, upTo, random, 125_000);
        SessionFigures after = Figures(session);
        double accesses = after.Accesses - before.Accesses;
        return (accesses / (after.Operations - before.Operations), Optimum(store, upTo));
    }

    private static SessionFigures Figures(HotRingSession session)
    {
        var figures = new SessionFigures();
        session.AddFiguresTo(figures);
        return figures;
    }

    private static void Read(HotRingSession session, double[] upTo, Random random, int count)
    {
        for (int i = 0; i < count; i++)
        {
            int rank = Array.BinarySearch(upTo, random.NextDouble());
            var get = default(ProbedOperations.Get<SwapShape>);
            Assert.Equal(Status.Ok, session.Read(new UnmanagedKey<long>(rank < 0 ? ~rank : rank), ref get));
        }
    }

    // Keys are ranks; their hashes scatter them over the rings.
    private static double[] ZipfUpTo(double theta)
    {
        double[] upTo = new double[Keys];
        double sum = 0;
        for (int rank = 0; rank < Keys; rank++) upTo[rank] = sum += Math.Pow(rank + 1, -theta);
        for (int rank = 0; rank < Keys; rank++) upTo[rank] /= sum;
        upTo[^1] = 1;
        return upTo;
    }

    // Of each ring, the best of all positions of its head.
    private static unsafe double Optimum(HotRingStore store, double[] upTo)
    {
        double all = 0;
        RingTable table = store.Index.State.Table;
        for (long ring = 0; ring < table.Count; ring++)
        {
            var shares = new List<double>();
            for (var walk = new RingWalk(table.Heads[ring]); walk.MoveNext();)
            {
                long key = *(long*)(walk.Item + ItemLayout.KeyOffset);
                shares.Add(upTo[key] - (key == 0 ? 0 : upTo[key - 1]));
            }

            double least = double.PositiveInfinity;
            for (int head = 0; head < shares.Count; head++)
            {
                double cost = 0;
                for (int i = 0; i < shares.Count; i++) cost += shares[(head + i) % shares.Count] * (2 + i);
                least = Math.Min(least, cost);
            }

            if (shares.Count > 0) all += least;
        }

        return all;
    }
}
