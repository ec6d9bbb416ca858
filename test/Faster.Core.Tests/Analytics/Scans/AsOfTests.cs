using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;

namespace Faster.Tests.Analytics.Scans;

public sealed class AsOfTests
{
    [Fact]
    public Task Each_fold_over_commit_keeps_its_state_also_over_a_recovery() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        var states = new Dictionary<long, SortedDictionary<long, long?>>();
        var model = new SortedDictionary<long, long?>();
        await using (FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path))
        {
            await using FasterSession session = store.StartSession();
            for (int round = 0; round < 5; round++)
            {
                AnalyticsStores.Churn(session, model, 800, 4_000, round);
                Commit commit = await store.CommitAsync();
                states[commit.Version] = new SortedDictionary<long, long?>(model);
            }

            Assert.Equal(5, store.Analytics.ScannableCommits.Count);
            await CheckAsync(store, states);
            AnalyticsStores.Churn(session, new Dictionary<long, long?>(), 800, 3_000, 99); // is lost
            _ = await store.ShiftReadOnlyAsync();
        }

        await using FasterStore again = await AnalyticsStores.InFolderAsync(folder.Path);
        Assert.Equal(2, again.Analytics.ScannableCommits.Count);
        await CheckAsync(again, states);
        await using (FasterSession session = again.StartSession())
            AnalyticsStores.Churn(session, model, 800, 4_000, 77);
        states[(await again.CommitAsync()).Version] = model;
        await CheckAsync(again, states);
        Assert.Equal(model, await again.LiveAsync());
    });

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public Task While_others_write_it_is_the_prefix_that_the_commit_point_says(CommitKind kind) =>
        Guard.RunAsync(async () =>
        {
            const int Keys = 64;
            using var folder = new TemporaryFolder();
            await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
            using var stop = new CancellationTokenSource();
            Task writer = Task.Run(() =>
            {
                using FasterSession session = store.StartSession("writer");
                while (!stop.IsCancellationRequested)
                {
                    long serial = session.SerialNumber + 1;
                    session.Put(serial % Keys, serial);
                }
            });
            try
            {
                for (int checkedCommits = 0; checkedCommits < TestBudget.Times(10);)
                {
                    Commit commit = await store.CommitAsync(kind);
                    CommitPoint? written = commit.Points.FirstOrDefault(point => point.SessionName == "writer");
                    if (written is not { SerialNumber: > Keys and var point }) continue; // it has hardly begun
                    SortedDictionary<long, long?> state = await store.LiveAsync(new ScanOptions { AsOf = commit });
                    Assert.Equal(Keys, state.Count);
                    foreach ((long key, long? value) in state) Assert.Equal(point - ((point - key) % Keys), value);
                    checkedCommits++;
                }
            }
            finally
            {
                await stop.CancelAsync();
                await writer;
            }
        });

    [Fact]
    public Task A_state_that_is_not_known_any_more_is_refused() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
        await using FasterSession session = store.StartSession();
        session.Put(1, 1);
        Commit foldOver = await store.CommitAsync(CommitKind.FoldOver);
        session.Put(1, 2);
        Commit snapshot = await store.CommitAsync(CommitKind.Snapshot);
        Assert.Equal([foldOver, snapshot], store.Analytics.ScannableCommits);
        var error = await Errors.ThrowsAsync(
            ErrorReason.CommitUnavailable,
            () => store.LiveAsync(new ScanOptions { AsOf = snapshot with { Version = 98 } }));
        Assert.Contains("as of commit 98 ", error.Message, StringComparison.Ordinal);
        Assert.Equal(1, (await store.LiveAsync(new ScanOptions { AsOf = foldOver }))[1]);
        Assert.Equal(2, (await store.LiveAsync(new ScanOptions { AsOf = snapshot }))[1]);
        for (long key = 2; key < 3_000; key++) session.Put(key, key);
        await store.TruncateAsync(store.Log.TailAddress);
        Assert.Equal(1, (await store.LiveAsync(new ScanOptions { AsOf = foldOver }))[1]); // what commits keep is there
        Assert.Equal(2, (await store.LiveAsync(new ScanOptions { AsOf = snapshot }))[1]);
        Commit third = await store.CommitAsync(), last = await store.CommitAsync(withIndex: true);
        await Errors.ThrowsAsync(
            ErrorReason.CommitUnavailable,
            () => store.LiveAsync(new ScanOptions { AsOf = foldOver }));
        await Errors.ThrowsAsync(
            ErrorReason.CommitUnavailable,
            () => store.LiveAsync(new ScanOptions { AsOf = snapshot }));
        Assert.Equal([third, last], store.Analytics.ScannableCommits);
    });

    private static async Task CheckAsync(FasterStore store, Dictionary<long, SortedDictionary<long, long?>> states)
    {
        foreach (Commit commit in store.Analytics.ScannableCommits)
        {
            Assert.Equal(states[commit.Version], await store.LiveAsync(new ScanOptions
            {
                AsOf = commit, TableMemory = ScanOptions.MinTableMemory,
            }));
        }
    }
}
