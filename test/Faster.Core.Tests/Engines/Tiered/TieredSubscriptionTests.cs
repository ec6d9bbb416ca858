using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Analytics;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Subscriptions to a hot log whose records move: who follows it, and scans after each gap, has the store's state.
/// </summary>
public sealed class TieredSubscriptionTests
{
    private const int Keys = 12_000;
    private const long Last = -1;

    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), PageSize = ByteSize.KiB(4),
        ExpectedColdKeys = 10_000, CommitOnDispose = false,
    };

    private static readonly SubscribeOptions FromBeginning = new() { FromAddress = SubscribeOptions.Beginning };

    [Fact]
    public Task A_scan_and_what_follows_are_the_state_of_a_store_whose_records_move() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync();
        using (TieredSession session = store.StartSession())
            for (long key = 0; key < Keys; key++) session.Put(key, key);
        var follower = new Follower(store, new SubscribeOptions { ShiftReadOnlyEvery = TimeSpan.FromMilliseconds(1) });
        SortedDictionary<long, long?>[] models =
            [.. Enumerable.Range(0, 2).Select(half => new SortedDictionary<long, long?>(
                Enumerable.Range(0, Keys).Where(key => key % 2 == half)
                    .ToDictionary(static key => (long)key, static key => (long?)key)))];
        Task<Follower> following = Task.Run(() => follower.RunAsync(Last, 0));
        await Task.WhenAll(models.Select((model, half) => Task.Run(() => Write(store, model, half))));
        using (TieredSession session = store.StartSession()) session.Put(Last, 0);
        Follower done = await following;
        Assert.Equal(models[0].Concat(models[1]).OrderBy(static pair => pair.Key), done.State.Skip(1));
        Assert.True(store.Statistics.HotCompactions > 2, "records have moved");
        Assert.Null(store.Core.Faults.Last);
    });

    [Fact]
    public Task Records_that_move_or_are_cached_do_not_come_again() => Guard.RunAsync(async () =>
    {
        const int Count = 2_000;
        await using TieredStore store = await OpenAsync();
        using TieredSession session = store.StartSession();
        for (long key = 0; key < Count; key++) session.Put(key, key);
        await using IAsyncEnumerator<LogEntry<(long Key, long? Value)>> feed = Follow(store, FromBeginning);
        _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
        Assert.True(await feed.MoveNextAsync());
        long second = feed.Current.NextAddress;
        for (long key = 1; key < Count; key++)
        {
            Assert.True(await feed.MoveNextAsync());
            Assert.Equal((key, key), feed.Current.Record);
        }

        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
        for (int i = 0; i < 2; i++)
            for (long key = 0; key < Count; key++) Assert.Equal(key, session.Get(key)); // copies to the read cache
        _ = session.Remove(7);
        session.AddTo(8, 2); // its old value is cold
        _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
        Assert.True(await feed.MoveNextAsync());
        Assert.Equal((7, null), feed.Current.Record);
        Assert.True(await feed.MoveNextAsync());
        Assert.Equal((8, 10), feed.Current.Record);

        long begin = store.Hot.Log.BeginAddress;
        Assert.True(begin > second, "records have moved");
        await using IAsyncEnumerator<LogEntry<(long Key, long? Value)>> late =
            Follow(store, new SubscribeOptions { FromAddress = second });
        Assert.True(await late.MoveNextAsync());
        Assert.True(late.Current.IsGap);
        Assert.Equal((second, begin), (late.Current.Address, late.Current.NextAddress));
        await using IAsyncEnumerator<LogEntry<(long Key, long? Value)>> again = Follow(store, FromBeginning);
        Assert.True(await again.MoveNextAsync() && await late.MoveNextAsync());
        Assert.False(again.Current.IsGap); // the hot log begins here
        Assert.Equal(again.Current, late.Current);
    });

    [Fact]
    public Task A_follower_of_the_commits_resumes_after_crashes_without_a_gap() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var model = new SortedDictionary<long, long?>();
        var state = new SortedDictionary<long, long?>();
        long resume = SubscribeOptions.Beginning, round = 0;
        for (int process = 0; process < 3; process++)
        {
            await using TieredStore store = await OpenAsync(folder.Path);
            using TieredSession session = store.StartSession();
            for (int i = 0; i < 6; i++)
            {
                // Less than the hot log keeps, so the follower is never overtaken.
                AnalyticsStores.Churn(session, model, Keys, 3_000, (int)++round);
                session.Put(-round, round); // a new key, so that the record is the last
                model[-round] = round;
                _ = await store.CommitAsync(i % 2 == 0 ? CommitKind.FoldOver : CommitKind.Snapshot);
                if (i % 2 != 0) continue; // a snapshot leaves what is mutable to a later commit
                var follower = new Follower(
                    store, new SubscribeOptions { CommittedOnly = true, FromAddress = resume }, state);
                _ = await follower.RunAsync(-round, round);
                Assert.Equal(0, follower.Gaps);
                resume = follower.Resume;
                Assert.Equal(model, state);
                _ = await store.CompactHotAsync(resume);
            }

            _ = await store.CommitAsync(CommitKind.FoldOver);
            Assert.True(store.Hot.Log.BeginAddress > PagedLog.FirstAddress, "records have moved");

            // Is lost in the crash: never returned.
            AnalyticsStores.Churn(session, new SortedDictionary<long, long?>(), Keys, 10_000, process + 50);
            _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
            Assert.Null(store.Core.Faults.Last);
        }
    });

    [Fact]
    public Task An_expired_record_comes_as_a_tombstone() => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        await using TieredStore store = await OpenAsync(null, Small with { TimeProvider = time });
        using TieredSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromSeconds(10);
        session.Put(1, 10);
        session.TimeToLive = TimeSpan.FromHours(1);
        session.Put(2, 20);
        _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
        time.Advance(11_000);
        await using IAsyncEnumerator<LogEntry<(long Key, long? Value)>> feed = Follow(store, FromBeginning);
        Assert.True(await feed.MoveNextAsync());
        Assert.Equal((1, null), feed.Current.Record);
        Assert.True(await feed.MoveNextAsync());
        Assert.Equal((2, 20), feed.Current.Record);
    });

    [Fact]
    public Task A_large_value_comes_whole_or_is_a_gap_once_it_has_moved() => Guard.RunAsync(async () =>
    {
        await using TieredStore store =
            await TieredStore.OpenAsync(null, Small, BytesOperations.Schema, CancellationToken.None);
        using TieredSession session = store.StartSession();
        byte[] value = LargeStore.Value(50_000, 1), small = [2];
        session.PutBytes(1, value);
        _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
        await using IAsyncEnumerator<LogEntry<byte[]>> feed = FollowBytes(store);
        Assert.True(await feed.MoveNextAsync());
        Assert.Equal(value, feed.Current.Record);
        long next = feed.Current.NextAddress;
        _ = await store.CompactHotAsync(next); // up to the record's page: the value moves, its record stays
        session.PutBytes(2, small);
        _ = await store.Analytics.Hot.ShiftReadOnlyAsync();
        await using IAsyncEnumerator<LogEntry<byte[]>> late = FollowBytes(store);
        Assert.True(await late.MoveNextAsync());
        Assert.True(late.Current.IsGap);
        Assert.Equal(next, late.Current.NextAddress);
        foreach (IAsyncEnumerator<LogEntry<byte[]>> one in new[] { feed, late })
        {
            Assert.True(await one.MoveNextAsync());
            Assert.Equal(small, one.Current.Record);
        }

        List<int> live = [];
        await foreach (int length in store.Analytics.ScanAsync(null, static record => record.Value.Length))
            live.Add(length);
        Assert.Equal([1, value.Length], live.Order());
    });

    private static ValueTask<TieredStore> OpenAsync(string? path = null, TieredOptions? options = null) =>
        TieredStore.OpenAsync(path, options ?? Small, CounterOperations.Schema, CancellationToken.None);

    private static IAsyncEnumerator<LogEntry<(long Key, long? Value)>> Follow(
        TieredStore store, SubscribeOptions options) =>
        store.Analytics.SubscribeAsync(options, AnalyticsStores.Pair).GetAsyncEnumerator();

    private static IAsyncEnumerator<LogEntry<byte[]>> FollowBytes(TieredStore store) =>
        store.Analytics.SubscribeAsync(FromBeginning, static record => record.Value.ToArray()).GetAsyncEnumerator();

    // The keys that are even or odd.
    private static void Write(TieredStore store, SortedDictionary<long, long?> model, int half)
    {
        using TieredSession session = store.StartSession();
        var random = new Random(half);
        for (int i = 0; i < TestBudget.Times(60_000); i++)
        {
            long key = ((long)(Math.Pow(random.NextDouble(), 2) * Keys) & ~1) + half;
            switch (random.Next(6))
            {
                case 0:
                    _ = session.Remove(key);
                    model.Remove(key);
                    break;
                case 1:
                    session.AddTo(key, i);
                    model[key] = (model.TryGetValue(key, out long? old) ? old : 0) + i;
                    break;
                default:
                    session.Put(key, i);
                    model[key] = i;
                    break;
            }
        }
    }

    /// <summary>Holds the state of a store: that of a scan, and of all that a subscription returns.</summary>
    private sealed class Follower
    {
        private readonly TieredStore _store;
        private readonly IAsyncEnumerable<LogEntry<(long Key, long? Value)>> _feed;
        private readonly bool _scansFirst;
        private long _next;

        // The subscription starts here, before the scan.
        public Follower(TieredStore store, SubscribeOptions options, SortedDictionary<long, long?>? state = null)
        {
            (_store, _scansFirst, State) = (store, state is null, state ?? []);
            _feed = store.Analytics.SubscribeAsync(options, AnalyticsStores.Pair);
        }

        public SortedDictionary<long, long?> State { get; }

        public int Gaps { get; private set; }

        public long Resume { get; private set; }

        /// <summary>Follows until a key has a value, which is written last.</summary>
        public async Task<Follower> RunAsync(long key, long value)
        {
            if (_scansFirst) await ScanAsync();
            await foreach (LogEntry<(long Key, long? Value)> item in _feed)
            {
                Assert.True(item.Address >= _next && item.NextAddress > item.Address, "in the order of the log");
                Resume = _next = item.NextAddress;
                if (item.IsGap)
                {
                    Gaps++;
                    await ScanAsync();
                }
                else if (item.Record.Value is null)
                {
                    State.Remove(item.Record.Key);
                }
                else
                {
                    State[item.Record.Key] = item.Record.Value;
                }

                if (State.TryGetValue(key, out long? last) && last == value) break;
            }

            return this;
        }

        private async Task ScanAsync()
        {
            State.Clear();
            await foreach ((long key, long? value) in _store.Analytics.ScanAsync(null, AnalyticsStores.Pair))
                State.Add(key, value);
        }
    }
}
