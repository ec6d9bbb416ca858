using Faster.Contracts;
using Faster.Log;
using Faster.Log.Records;
using Faster.LogSessions;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;

namespace Faster.Tests.Analytics.Subscriptions;

public sealed class LogSubscriptionTests
{
    private static readonly SubscribeOptions FromBeginning = new() { FromAddress = SubscribeOptions.Beginning };

    public static TheoryData<FollowedEngine> Engines => FollowedStore.Engines;

    [Theory, MemberData(nameof(Engines))]
    public Task They_come_in_order_and_from_where_one_stopped(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        await using HashSession session = store.StartSession();
        session.Put(1, 1);
        _ = await store.Source.ShiftReadOnlyAsync();
        IAsyncEnumerator<LogEntry<(long, long?)>> now = store.Follow(new SubscribeOptions());
        IAsyncEnumerator<LogEntry<(long, long?)>> all = store.Follow(FromBeginning);
        session.Put(1, 2);
        session.Put(1, 3); // in place: only the last is seen
        session.Put(2, 4);
        _ = session.Remove(1);
        ValueTask<bool> waiting = now.MoveNextAsync();
        Assert.False(waiting.IsCompleted);
        _ = await store.Source.ShiftReadOnlyAsync();
        Assert.True(await waiting);
        Assert.Equal((1, null), now.Current.Record);
        Assert.Equal((1, 1), await NextAsync(all));
        Assert.Equal((1, null), await NextAsync(all));
        long resume = all.Current.NextAddress;
        await all.DisposeAsync();
        all = store.Follow(new SubscribeOptions { FromAddress = resume });
        Assert.Equal((2, 4), await NextAsync(all));
        session.Put(3, 5);
        _ = await store.Source.ShiftReadOnlyAsync();
        Assert.Equal((3, 5), await NextAsync(all));
        Assert.Equal((2, 4), await NextAsync(now));
        Assert.Equal((3, 5), await NextAsync(now));
        await now.DisposeAsync();
        await all.DisposeAsync();
    });

    [Theory, MemberData(nameof(Engines))]
    public Task Following_a_busy_store_yields_its_state(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        var model = new SortedDictionary<long, long?>();
        Task writer = Task.Run(() =>
        {
            using HashSession session = store.StartSession();
            AnalyticsStores.Churn(session, model, 1_000, TestBudget.Times(100_000), 21);
            session.Put(-1, -1); // the last record
        });
        var followed = new SortedDictionary<long, long?>();
        long last = 0;
        var options = FromBeginning with { ShiftReadOnlyEvery = TimeSpan.FromMilliseconds(2) };
        await foreach (LogEntry<(long Key, long? Value)> item in store.Analytics.SubscribeAsync(
            options, AnalyticsStores.Pair, CancellationToken.None))
        {
            Assert.True(item.Address > last && item.NextAddress > item.Address && !item.IsGap);
            last = item.Address;
            if (item.Record.Key == -1) break;
            if (item.Record.Value is null) followed.Remove(item.Record.Key);
            else followed[item.Record.Key] = item.Record.Value;
        }

        await writer;
        Assert.Equal(model, followed);
    });

    [Theory, MemberData(nameof(Engines))]
    public async Task A_subscription_that_could_deliver_nothing_is_refused(FollowedEngine engine)
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        Assert.Throws<NotSupportedException>(() => store.Follow(FromBeginning with { CommittedOnly = true }));
    }

    [Theory, MemberData(nameof(Engines))]
    public Task An_address_within_a_record_is_refused(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        await using HashSession session = store.StartSession();
        long looksLikeAHeader = (long)RecordHeader.Make(64);
        for (int i = 0; i < 10; i++) session.Put(looksLikeAHeader + (i * 8), looksLikeAHeader);
        _ = await store.Source.ShiftReadOnlyAsync();
        IAsyncEnumerator<LogEntry<(long, long?)>> all = store.Follow(FromBeginning);
        for (int i = 0; i < 10; i++)
        {
            Assert.True(await all.MoveNextAsync());
            long address = all.Current.Address;
            await using IAsyncEnumerator<LogEntry<(long, long?)>> good =
                store.Follow(new SubscribeOptions { FromAddress = address });
            Assert.True(await good.MoveNextAsync());
            Assert.Equal(all.Current.Record, good.Current.Record);
            await using IAsyncEnumerator<LogEntry<(long, long?)>> bad =
                store.Follow(new SubscribeOptions { FromAddress = address + 8 });
            await Assert.ThrowsAsync<ArgumentException>(async () => await bad.MoveNextAsync());
        }

        await all.DisposeAsync();
    });

    [Theory, MemberData(nameof(Engines))]
    public Task A_record_of_255_commits_ago_is_not_one_of_the_next(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        await using FollowedStore store = await FollowedStore.OpenAsync(engine, folder.Path);
        await using HashSession session = store.StartSession();
        session.Put(1, 1);
        Commit commit = await store.CommitAsync(CommitKind.FoldOver); // so that it is on disk
        for (long next = commit.Version + 255; store.Source.Core.Commits.Current.OperationVersion < next;)
        {
            session.Put(2, store.Source.Core.Commits.Current.OperationVersion);
            commit = await store.CommitAsync(CommitKind.Snapshot);
        }

        await using IAsyncEnumerator<LogEntry<(long, long?)>> feed =
            store.Follow(FromBeginning with { CommittedOnly = true });
        Assert.True(await feed.MoveNextAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(20)));
        Assert.Equal((1, 1), feed.Current.Record);
    });

    [Theory, MemberData(nameof(Engines))]
    public Task Only_what_a_commit_covers_is_given_and_resuming_after_a_crash_misses_nothing(FollowedEngine engine) =>
        Guard.RunAsync(async () =>
        {
            using var folder = new TemporaryFolder();
            var committed = new SortedDictionary<long, long?>();
            var followed = new SortedDictionary<long, long?>();
            long resume = SubscribeOptions.Beginning;
            for (int process = 0; process < 3; process++)
            {
                await using FollowedStore store = await FollowedStore.OpenAsync(engine, folder.Path);
                await using HashSession session = store.StartSession();
                var options = new SubscribeOptions { CommittedOnly = true, FromAddress = resume };
                await using IAsyncEnumerator<LogEntry<(long Key, long? Value)>> early = store.Follow(options);
                AnalyticsStores.Churn(session, committed, 500, 3_000, process);
                session.Put(-1, process);
                committed[-1] = process;
                ValueTask<bool> first = early.MoveNextAsync();
                Assert.False(process == 0 && first.IsCompleted); // nothing is committed yet
                _ = await store.CommitAsync();
                Assert.True(await first);
                await using var second = store.Follow(options);
                do
                {
                    Assert.True(await second.MoveNextAsync());
                    (long key, long? value) = second.Current.Record;
                    if (value is null) followed.Remove(key);
                    else followed[key] = value;
                    resume = second.Current.NextAddress;
                }
                while (second.Current.Record != (-1, process));
                Assert.Equal(committed, followed);

                // Lost in the crash: never given.
                AnalyticsStores.Churn(session, new Dictionary<long, long?>(), 500, 2_000, process + 50);
                _ = await store.Source.ShiftReadOnlyAsync();
            }
        });

    [Theory, MemberData(nameof(Engines))]
    public Task A_truncated_part_is_a_gap_and_the_rest_follows(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        await using HashSession session = store.StartSession();
        for (long key = 0; key < 2_000; key++) session.Put(key, key);
        long end = await store.Source.ShiftReadOnlyAsync();
        await using IAsyncEnumerator<LogEntry<(long, long?)>> feed = store.Follow(FromBeginning);
        Assert.Equal((0, 0), await NextAsync(feed));
        session.Put(-1, -1);
        _ = await store.Source.ShiftReadOnlyAsync();
        store.Source.Log.RaiseBegin(end);
        long next = feed.Current.NextAddress;
        while (await feed.MoveNextAsync() && !feed.Current.IsGap) next = feed.Current.NextAddress; // the page in hand
        Assert.Equal(end, feed.Current.NextAddress);
        Assert.True(feed.Current.Address >= next && feed.Current.Address < end);
        Assert.Equal((-1, -1), await NextAsync(feed));
        await using IAsyncEnumerator<LogEntry<(long, long?)>> old = store.Follow(
            new SubscribeOptions { FromAddress = next });
        Assert.True(await old.MoveNextAsync() && old.Current.IsGap);
        Assert.Equal((next, end), (old.Current.Address, old.Current.NextAddress));
    });

    [Theory, MemberData(nameof(Engines))]
    public Task While_it_is_truncated_each_is_seen_or_in_a_gap(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        int records = TestBudget.Times(40_000);
        Task writer = Task.Run(() =>
        {
            Faster.Log.PagedLog log = store.Source.Log;
            using HashSession session = store.StartSession();
            for (int i = 0; i < records; i++)
            {
                session.Put(i, i);
                if (i % 700 == 0) log.RaiseBegin(log.SafeImmutableAddress);
            }
        });
        long expected = 0, next = 0;
        bool afterGap = false;
        var options = FromBeginning with { ShiftReadOnlyEvery = TimeSpan.FromMilliseconds(1) };
        await foreach (LogEntry<(long Key, long? Value)> item in store.Analytics.SubscribeAsync(
            options, AnalyticsStores.Pair, CancellationToken.None))
        {
            Assert.True(item.Address >= next && item.NextAddress > item.Address);
            next = item.NextAddress;
            if (item.IsGap)
            {
                afterGap = true;
                continue;
            }

            Assert.True(afterGap ? item.Record.Key >= expected : item.Record.Key == expected);
            expected = item.Record.Key + 1;
            afterGap = false;
            if (expected == records) break;
        }

        await writer;
    });

    [Theory, MemberData(nameof(Engines))]
    public Task Subscribers_share_the_freezing(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        await using HashSession session = store.StartSession();
        var source = store.Source;
        var clock = new Faster.Analytics.Subscriptions.ReadOnlyShiftTimer(source);
        TimeSpan hour = TimeSpan.FromHours(1);
        TimeSpan left = clock.ShiftIfDue(hour);
        Assert.InRange(left, TimeSpan.Zero, hour);
        Assert.Equal(0, clock.ReadOnlyShifts);
        session.Put(1, 1);
        while (clock.ReadOnlyShifts == 0) clock.ShiftIfDue(TimeSpan.FromTicks(1));
        Assert.Equal(source.Log.TailAddress, source.Log.SafeImmutableAddress);
        _ = clock.ShiftIfDue(hour); // the other subscriber's freeze counts
        Assert.Equal(1, clock.ReadOnlyShifts);
    });

    [Theory, MemberData(nameof(Engines))]
    public Task It_ends_when_cancelled_or_when_the_store_closes(FollowedEngine engine) => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        FollowedStore store = await FollowedStore.OpenAsync(engine, folder.Path);
        using var stop = new CancellationTokenSource();
        await using var cancelled = store.Follow(null, stop.Token);
        ValueTask<bool> waiting = cancelled.MoveNextAsync();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.AsTask());
        await using var every = store.Follow(new SubscribeOptions { ShiftReadOnlyEvery = TimeSpan.FromHours(1) });
        await using var now = store.Follow(new SubscribeOptions());
        await using var commits = store.Follow(new SubscribeOptions { CommittedOnly = true });
        Task<bool>[] ends = [.. new[] { every, now, commits }.Select(feed => feed.MoveNextAsync().AsTask())];
        await store.DisposeAsync();
        Assert.All(await Task.WhenAll(ends), Assert.False);
    });

    [Theory, MemberData(nameof(Engines))]
    public async Task Wrong_options_are_refused(FollowedEngine engine)
    {
        await using FollowedStore store = await FollowedStore.OpenAsync(engine);
        foreach (SubscribeOptions options in new SubscribeOptions[]
        {
            new() { FromAddress = -8 }, new() { FromAddress = 65 }, new() { FromAddress = 1 << 20 },
            new() { ShiftReadOnlyEvery = TimeSpan.Zero }, new() { ShiftReadOnlyEvery = TimeSpan.FromDays(2) },
        })
            Assert.Throws<ArgumentOutOfRangeException>(() => store.Analytics.SubscribeAsync(
                options, AnalyticsStores.Pair, CancellationToken.None));
    }

    private static async Task<(long, long?)> NextAsync(IAsyncEnumerator<LogEntry<(long, long?)>> feed)
    {
        Assert.True(await feed.MoveNextAsync());
        Assert.False(feed.Current.IsGap);
        return feed.Current.Record;
    }
}
