using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Opening;
using Xunit.Abstractions;

namespace Faster.Tests.Caching;

/// <summary>How much of skewed reads the cache keeps from the disk.</summary>
public sealed class HitRateTests(ITestOutputHelper output)
{
    private const int Keys = 60_000, RecordBytes = 120;
    private const double InMemory = 0.11;

    [Fact]
    public async Task Hot_records_stay_when_a_ninth_of_all_fits_into_memory()
    {
        // The index takes 860 KB with its overflow, and buffers an eighth of all; what is left is for the records.
        const double Index = 860 << 10;
        var options = new StoreOptions
        {
            MemoryBudget = new((long)((Index + (Keys * RecordBytes * InMemory)) * 8 / 7)), PageSize = ByteSize.KiB(4),
            ExpectedKeys = Keys, ReadCacheFraction = 0.75, Device = new MemoryDevice(),
        };
        await using FasterStore store = await FasterStore.OpenAsync(null, options, WideOperations.Schema, default);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.PutWide(key, key * 3);
        var ranks = new ZipfRanks(Keys, 0.99);
        var random = new Random(3);
        static double SumTo(double ranks) =>
            Enumerable.Range(1, (int)ranks).Sum(static rank => Math.Pow(rank, -0.99));
        double RateOf(int operations)
        {
            long before = store.Statistics.ReadCacheMisses;
            for (int i = 0; i < operations; i++)
            {
                long key = ranks.Next(random) * 7919 % Keys; // 7919 divides no number of keys here: each has a rank
                Assert.Equal(key * 3, session.GetWide(key));
            }

            return 1 - ((store.Statistics.ReadCacheMisses - before) / (double)operations);
        }

        double cold = RateOf(1000), warming = RateOf(200_000), rate = RateOf(100_000);
        StoreStatistics statistics = store.Statistics;
        double held = (double)(statistics.LogBytesInMemory + statistics.ReadCacheBytes) / RecordBytes;
        double best = SumTo(held) / SumTo(Keys);
        string text = $"{cold:P1}, {warming:P1}, then {rate:P1} of {best:P1} at best with {held} records: {statistics}";
        output.WriteLine(text);
        Assert.True(held * RecordBytes <= store.Core.MemoryPlan.RecordBytes(statistics.IndexBytes), text);
        Assert.True(rate > best * 0.88, text);
    }
}
