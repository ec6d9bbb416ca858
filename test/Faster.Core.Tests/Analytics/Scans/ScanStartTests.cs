using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Tests.Engines;
using Faster.Tests.Faults;

namespace Faster.Tests.Analytics.Scans;

/// <summary>What happens between the moment at which a scan's range ends and that at which it begins.</summary>
public sealed class ScanStartTests
{
    [Theory]
    [InlineData(ScanScope.Live)]
    [InlineData(ScanScope.All)]
    public Task Records_that_compaction_moves_behind_the_end_while_a_scan_begins_are_not_missed(ScanScope scope) =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await AnalyticsStores.InMemoryAsync();
            using FasterSession session = store.StartSession();
            const int Keys = 40_000; // more than is kept in memory
            for (long key = 0; key < Keys; key++) session.Put(key, key * 3);
            PagedLog log = store.Analytics.Source.Log;
            Action<long> toldFirst = log.BecameSafe!;
            long end = log.TailAddress, middle = log.HeadAddress / 2;
            bool hasMoved = false;
            log.BecameSafe = address =>
            {
                toldFirst(address);
                if (hasMoved || address < end) return;

                // The scan has fixed its end, and not begun. What is copied now lies behind the end.
                hasMoved = true;
                Assert.True(Task.Run(() => store.CompactAsync(middle)).Wait(TimeSpan.FromSeconds(30)));
            };
            var found = new SortedDictionary<long, long?>();
            var options = new ScanOptions { Scope = scope };
            await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, AnalyticsStores.Pair))
                found[key] = value;
            Assert.True(hasMoved);
            Assert.True(log.BeginAddress > PagedLog.FirstAddress);
            Assert.Equal(Keys, found.Count);
            Assert.All(found, pair => Assert.Equal(pair.Key * 3, pair.Value));
        });
}
