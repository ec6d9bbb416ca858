using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Analytics.Scans;

/// <summary>What was asked for once may be gone through more than once, also at the same time.</summary>
public sealed class ReenumerationTests
{
    private const int Keys = 3_000;

    [Fact]
    public Task Two_consumers_of_one_subscription_see_all_of_it_each() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await FilledAsync();
        IAsyncEnumerable<LogEntry<(long, long?)>> feed = store.Analytics.SubscribeAsync(
            new SubscribeOptions { FromAddress = SubscribeOptions.Beginning }, AnalyticsStores.Pair);
        await using IAsyncEnumerator<LogEntry<(long, long?)>> one = feed.GetAsyncEnumerator();
        IAsyncEnumerator<LogEntry<(long, long?)>> other = feed.GetAsyncEnumerator();
        for (long key = 0; key < Keys; key++)
        {
            Assert.True(await one.MoveNextAsync());
            Assert.Equal((key, key * 3), one.Current.Record);
            if (key == Keys / 2) await other.DisposeAsync();
            if (key >= Keys / 2) continue;
            Assert.True(await other.MoveNextAsync());
            Assert.Equal((key, key * 3), other.Current.Record);
        }

        await foreach (LogEntry<(long Key, long? Value)> first in feed)
        {
            Assert.Equal((0, 0), first.Record);
            break;
        }
    });

    [Fact]
    public Task Two_readers_of_one_history_see_all_of_it_each() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await FilledAsync();
        using FasterSession session = store.StartSession();
        for (int i = 0; i < 20; i++)
        {
            session.Put(7, i);
            _ = await store.ShiftReadOnlyAsync();
        }

        IAsyncEnumerable<RecordVersion<(long, long?)>> history =
            store.Analytics.HistoryAsync(CounterOperations.Key(7), AnalyticsStores.Pair);
        await using IAsyncEnumerator<RecordVersion<(long, long?)>> one = history.GetAsyncEnumerator();
        for (int i = 19; i >= 0; i--)
        {
            Assert.True(await one.MoveNextAsync());
            Assert.Equal((7, i), one.Current.Record);
            await foreach (RecordVersion<(long, long?)> newest in history)
            {
                Assert.Equal((7, 19), newest.Record);
                break;
            }
        }
    });

    private static async Task<FasterStore> FilledAsync()
    {
        FasterStore store = await AnalyticsStores.InMemoryAsync();
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key * 3);
        _ = await store.ShiftReadOnlyAsync();
        return store;
    }
}
