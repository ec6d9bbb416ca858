using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Tests.Analytics;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Scans of tiered stores as of a commit: the whole state is the one that the commit covers, while records move, both
/// logs are compacted and truncated, other commits are made, and after recoveries.
/// </summary>
public sealed class TieredCommitScanTests : IDisposable
{
    private const int Keys = 4_000, Steps = 6_000;

    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = ByteSize.KiB(4), ReadCacheFraction = 0,
        HotLogSize = ByteSize.KiB(64), ExpectedColdKeys = Keys, ExpectedHotKeys = Keys, CommitOnDispose = false,
        SegmentSize = ByteSize.KiB(64),
    };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public Task Each_commit_keeps_its_state_whatever_moves_also_over_a_recovery(CommitKind kind) =>
        Guard.RunAsync(async () =>
        {
            var states = new Dictionary<long, SortedDictionary<long, long?>>();
            var model = new SortedDictionary<long, long?>();
            for (int life = 0; life < 3; life++)
            {
                await using TieredStore store = await OpenAsync();
                using TieredSession session = store.StartSession();
                Assert.Equal(life == 0 ? 0 : 2, store.Analytics.ScannableCommits.Count);
                await CheckAsync(store, states);
                for (int round = 0; round < 3; round++)
                {
                    Task moves = CompactAsync(store);
                    AnalyticsStores.Churn(session, model, Keys, Steps, (life * 10) + round);
                    Commit commit = await store.CommitAsync(kind);
                    await moves;
                    states[commit.Version] = new SortedDictionary<long, long?>(model);
                    AnalyticsStores.Churn(session, model, Keys, Steps, (life * 10) + round + 5);
                    await CompactAsync(store);
                    Assert.Contains(commit, store.Analytics.ScannableCommits);
                    AssertHeld(store, commit);
                    await CheckAsync(store, states);
                }

                model = new SortedDictionary<long, long?>(states[states.Keys.Max()]); // the rest is lost
                AssertQuiet(store);
            }
        });

    [Fact]
    public Task A_scan_keeps_the_state_of_its_commit_over_later_commits() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync();
        using TieredSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, Keys, Steps, 1);
        await CompactAsync(store);
        AnalyticsStores.Churn(session, model, Keys, Steps, 2);
        Commit commit = await store.CommitAsync(CommitKind.Snapshot);
        var options = new ScanOptions { AsOf = commit, TableMemory = ScanOptions.MinTableMemory };
        var state = new SortedDictionary<long, long?>();
        int returned = 0;
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, AnalyticsStores.Pair))
        {
            state.Add(key, value);
            if (returned++ % 1_000 != 0) continue;
            AnalyticsStores.Churn(session, new SortedDictionary<long, long?>(), Keys, Steps / 2, returned);
            await CompactAsync(store);
            _ = await store.CommitAsync();
        }

        Assert.Equal(model, state);
        Assert.DoesNotContain(commit, store.Analytics.ScannableCommits);
        var error = await Errors.ThrowsAsync(ErrorReason.CommitUnavailable, () => AsOfAsync(store, commit));
        Assert.Contains($"as of commit {commit.Version} ", error.Message, StringComparison.Ordinal);
        _ = await store.CommitAsync();
        Assert.Equal(long.MaxValue, store.Hot.PagedLog!.Pins.LowestPinned);
        Assert.Equal(long.MaxValue, store.Cold.PagedLog!.Pins.LowestPinned);
        AssertQuiet(store);
    });

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Incremental)]
    public Task Beside_writers_and_both_compactions_it_is_the_prefix_of_each_session(CommitKind kind) =>
        Guard.RunAsync(async () =>
        {
            const int Writers = 2, Own = 1_500;
            using var pace = new Pace(200_000);
            await using TieredStore store = await OpenAsync();
            Task writers = Task.WhenAll(Enumerable.Range(0, Writers).Select(writer => Guard.RunAsync(() =>
            {
                using TieredSession session = store.StartSession($"{writer}");
                for (long serial = 1; pace.Allows(serial); serial++)
                {
                    var put = new Upsert(serial);
                    if (session.Upsert(Key((writer * Own) + (serial % Own)), ref put) == Status.Pending)
                        session.CompletePending(wait: true);
                }
            })));
            Task moves = Task.Run(async () =>
            {
                while (!writers.IsCompleted) await CompactAsync(store);
            });
            for (int scans = 0; scans < TestBudget.Times(12);)
            {
                pace.GoOn();
                Commit commit = await store.CommitAsync(kind);
                var points = commit.Points.Where(point => point.SerialNumber > Own)
                    .ToDictionary(point => int.Parse(point.SessionName!), point => point.SerialNumber);
                if (points.Count < Writers) continue; // they have hardly begun
                SortedDictionary<long, long?> state = await AsOfAsync(store, commit);
                Assert.Equal(Writers * Own, state.Count);
                foreach ((long key, long? value) in state)
                {
                    long point = points[(int)(key / Own)];
                    Assert.Equal(point - ((point - (key % Own)) % Own), value);
                }

                scans++;
            }

            pace.Dispose();
            await writers;
            await moves;
            Assert.True(store.Statistics is { HotCompactions: > 1, ColdCompactions: > 1 }, "Nothing has moved.");
            AssertQuiet(store);
        });

    [Fact]
    public Task An_export_as_of_a_commit_goes_to_another_engine() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync();
        using TieredSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, Keys, Steps, 1);
        Commit commit = await store.CommitAsync();
        AnalyticsStores.Churn(session, new SortedDictionary<long, long?>(), Keys, Steps, 2);
        await CompactAsync(store);
        var bytes = new MemoryStream();
        Assert.Equal(model.Count, await store.Analytics.ExportAsync(bytes, new ScanOptions { AsOf = commit }));
        bytes.Position = 0;
        await using FasterStore other = await AnalyticsStores.InMemoryAsync();
        Assert.Equal(model.Count, await other.Analytics.ImportAsync<Upsert>(bytes));
        Assert.Equal(model, await other.LiveAsync());
    });

    [Fact]
    public Task Expired_records_are_not_returned_and_later_renewed_ones_are() => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        await using TieredStore store = await OpenAsync(Small with { TimeProvider = time });
        using TieredSession session = store.StartSession();
        for (long key = 0; key < 300; key++) session.Put(key, key);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        session.TimeToLive = TimeSpan.FromSeconds(10);
        for (long key = 100; key < 200; key++) session.Put(key, -key);
        Commit commit = await store.CommitAsync();
        session.TimeToLive = TimeSpan.Zero; // forever
        for (long key = 150; key < 200; key++) session.Put(key, key); // the commit knows nothing of it
        Assert.Equal(300, (await AsOfAsync(store, commit)).Count);
        time.Advance(11_000);
        Assert.Equal(
            Enumerable.Range(0, 300).Where(static key => key is < 100 or >= 200).Select(static key => (long)key),
            (await AsOfAsync(store, commit)).Keys);
    });

    [Fact]
    public Task A_state_that_is_not_known_any_more_is_refused() => Guard.RunAsync(async () =>
    {
        await using TieredStore inMemory =
            await TieredStore.OpenAsync(null, new TieredOptions(), Schema, CancellationToken.None);
        Assert.Empty(inMemory.Analytics.ScannableCommits);
        await using TieredStore store = await OpenAsync();
        using TieredSession session = store.StartSession();
        session.Put(1, 1);
        Commit first = await store.CommitAsync();
        await Errors.ThrowsAsync(ErrorReason.CommitUnavailable, () => AsOfAsync(inMemory, first));
        await Errors.ThrowsAsync(ErrorReason.CommitUnavailable, () => AsOfAsync(store, first with { Version = 98 }));
        session.Put(1, 2);
        Commit snapshot = await store.CommitAsync(CommitKind.Snapshot);
        for (int commits = 0; commits < 2; commits++)
        {
            session.Put(1, 3 + commits);
            _ = await store.CommitAsync();
        }

        Assert.Equal(1, (await AsOfAsync(store, first))[1]); // nothing was truncated
        // Its snapshot is gone.
        await Errors.ThrowsAsync(ErrorReason.CommitUnavailable, () => AsOfAsync(store, snapshot));
        Assert.Throws<NotSupportedException>(() => store.Analytics.ScanAsync(
            new ScanOptions { AsOf = first, Scope = ScanScope.All }, AnalyticsStores.Pair));
        await using IAsyncEnumerator<(long Key, long? Value)> scan = store.Analytics
            .ScanAsync(new ScanOptions { AsOf = first }, AnalyticsStores.Pair).GetAsyncEnumerator();
        await store.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await scan.MoveNextAsync());
    });

    private ValueTask<TieredStore> OpenAsync(TieredOptions? options = null) =>
        TieredStore.OpenAsync(_folder.Path, options ?? Small, Schema, CancellationToken.None);

    private static async Task CompactAsync(TieredStore store)
    {
        _ = await store.CompactHotAsync((store.Hot.Log.BeginAddress + store.Hot.Log.TailAddress) / 2);
        _ = await store.CompactColdAsync((store.Cold.Log.BeginAddress + store.Cold.Log.TailAddress) / 2);
    }

    private static async Task<SortedDictionary<long, long?>> AsOfAsync(TieredStore store, Commit commit)
    {
        var state = new SortedDictionary<long, long?>();
        var options = new ScanOptions { AsOf = commit, TableMemory = ByteSize.KiB(64) };
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, AnalyticsStores.Pair))
            state.Add(key, value); // throws if a key comes twice
        return state;
    }

    private static async Task CheckAsync(TieredStore store, Dictionary<long, SortedDictionary<long, long?>> states)
    {
        foreach (Commit commit in store.Analytics.ScannableCommits)
            Assert.Equal(states[commit.Version], await AsOfAsync(store, commit));
    }

    // Both logs begin above what the commit needs of them.
    private static void AssertHeld(TieredStore store, Commit commit)
    {
        Assert.True(store.Analytics.Hot.Commits.Newest is { } hot && hot.Commit.Version == commit.Version
            && hot.Begin < store.Hot.Log.BeginAddress, "The hot log was not truncated.");
        Assert.True(store.Analytics.Cold.Commits.Newest is { } cold && cold.Commit.Version == commit.Version
            && cold.Begin < store.Cold.Log.BeginAddress, "The cold log was not truncated.");
    }

    private static void AssertQuiet(TieredStore store) => Assert.Null(store.Core.Faults.Last);
}
