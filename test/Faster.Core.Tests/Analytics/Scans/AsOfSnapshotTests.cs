using Faster.Analytics;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Analytics.Scans;

/// <summary>
/// Scans as of commits whose state is partly in snapshots: the log has been updated in place since, and goes on to be.
/// </summary>
public sealed class AsOfSnapshotTests
{
    private const int Keys = 800;

    private static CommitKind[] Kinds { get; } = Enum.GetValues<CommitKind>();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public Task Kept_commits_of_all_kinds_have_their_states_before_and_after_recoveries(int seed) =>
        Guard.RunAsync(async () =>
        {
            using var folder = new TemporaryFolder();
            var random = new Random(seed);
            var states = new Dictionary<long, SortedDictionary<long, long?>>();
            var model = new SortedDictionary<long, long?>();
            int chains = 0, belowSnapshots = 0;
            for (int life = 0; life < 3; life++)
            {
                await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
                if (life > 0) Assert.Equal(2, await CheckAsync(store, states));
                await using FasterSession session = store.StartSession();
                for (int round = 0; round < TestBudget.Times(6); round++)
                {
                    int steps = random.Next(4) == 0 ? 12_000 : 1_500;
                    AnalyticsStores.Churn(session, model, Keys, steps, random.Next());
                    Commit commit = await store.CommitAsync(Kinds[random.Next(Kinds.Length)]);
                    states[commit.Version] = new SortedDictionary<long, long?>(model);
                    CommitLogRange extent = store.Analytics.Source.Commits.Newest!;
                    chains += extent.Snapshots.Count > 1 ? 1 : 0;
                    belowSnapshots += extent.Snapshots.Count > 0 && extent.FlushedUntil > extent.Begin ? 1 : 0;
                    AnalyticsStores.Churn(session, model, Keys, 500, random.Next()); // in place, mostly
                    Assert.True(await CheckAsync(store, states) >= Math.Min(round, 2));
                }

                model = new SortedDictionary<long, long?>(states[states.Keys.Max()]); // what is not committed is lost
            }

            Assert.True(chains > 0 && belowSnapshots > 0, $"{chains} chains, {belowSnapshots} of log and snapshot.");
        });

    [Fact]
    public Task A_scan_under_way_keeps_its_snapshots_and_one_that_comes_later_is_refused() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, Keys, 4_000, seed: 1);
        Commit whole = await store.CommitAsync(CommitKind.Snapshot);
        Commit increment = await ChurnAndCommitAsync(CommitKind.Incremental, seed: 2);
        var state = new SortedDictionary<long, long?>(model);
        string[] snapshots = [Snapshot(whole), Snapshot(increment)];
        var options = new ScanOptions { AsOf = increment, TableMemory = ScanOptions.MinTableMemory };
        var found = new SortedDictionary<long, long?>();
        await using (IAsyncEnumerator<(long Key, long? Value)> scan =
            store.Analytics.ScanAsync(options, AnalyticsStores.Pair).GetAsyncEnumerator())
        {
            Assert.True(await scan.MoveNextAsync());
            found.Add(scan.Current.Key, scan.Current.Value);
            for (int i = 0; i < 3; i++) _ = await ChurnAndCommitAsync(CommitKind.FoldOver, seed: 3 + i);
            Assert.DoesNotContain(increment.Version, CommitsFile.Versions(folder.Path));
            Assert.All(snapshots, name => Assert.True(File.Exists(name)));
            Assert.DoesNotContain(increment, store.Analytics.ScannableCommits);
            var refused = await Errors.ThrowsAsync(ErrorReason.CommitUnavailable, () => store.LiveAsync(options));
            Assert.Contains($"as of commit {increment.Version} ", refused.Message, StringComparison.Ordinal);
            Assert.Contains("two later commits", refused.Message, StringComparison.Ordinal);
            while (await scan.MoveNextAsync()) found.Add(scan.Current.Key, scan.Current.Value);
        }

        Assert.Equal(state, found);
        Assert.All(snapshots, name => Assert.False(File.Exists(name)));

        string Snapshot(Commit commit) => Path.Combine(folder.Path, $"snapshot.{commit.Version:D12}");
        async Task<Commit> ChurnAndCommitAsync(CommitKind kind, int seed)
        {
            AnalyticsStores.Churn(session, model, Keys, 2_000, seed);
            return await store.CommitAsync(kind);
        }
    });

    [Fact]
    public Task A_scan_that_outlives_its_store_fails_and_the_next_opening_removes_what_it_kept() =>
        Guard.RunAsync(async () =>
        {
            using var folder = new TemporaryFolder();
            FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
            FasterSession session = store.StartSession();
            AnalyticsStores.Churn(session, new Dictionary<long, long?>(), Keys, 4_000, seed: 1);
            Commit commit = await store.CommitAsync(CommitKind.Snapshot);
            string snapshot = Path.Combine(folder.Path, $"snapshot.{commit.Version:D12}");
            IAsyncEnumerator<(long Key, long? Value)> scan = store.Analytics
                .ScanAsync(new ScanOptions { AsOf = commit }, AnalyticsStores.Pair).GetAsyncEnumerator();
            Assert.True(await scan.MoveNextAsync());
            for (int i = 0; i < 3; i++)
            {
                session.Put(i, i);
                _ = await store.CommitAsync();
            }

            await session.DisposeAsync();
            await store.DisposeAsync();
            await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
            {
                while (await scan.MoveNextAsync()) { }
            });
            await scan.DisposeAsync();
            Assert.True(File.Exists(snapshot)); // the folder may be another process's by now
            await (await AnalyticsStores.InFolderAsync(folder.Path)).DisposeAsync();
            Assert.False(File.Exists(snapshot));
        });

    [Theory]
    [InlineData(ScanScope.Live, true)]
    [InlineData(ScanScope.Live, false)]
    [InlineData(ScanScope.All, true)]
    [InlineData(ScanScope.All, false)]
    public Task A_scan_outlives_truncation_compaction_and_later_commits(ScanScope scope, bool compacts) =>
        Guard.RunAsync(async () =>
        {
            using var folder = new TemporaryFolder();
            await using FasterStore store = await GarbageStore.OpenAsync(folder.Path);
            await using FasterSession session = store.StartSession();
            for (long key = 0; key < 3_000; key++) session.Put(key, key);
            Commit commit = await store.CommitAsync(CommitKind.Snapshot);
            for (long key = 3_000; key < 6_000; key++) session.Put(key, key);
            var options = new ScanOptions { AsOf = commit, Scope = scope };
            await using IAsyncEnumerator<(long Key, long? Value)> scan =
                store.Analytics.ScanAsync(options, AnalyticsStores.Pair).GetAsyncEnumerator();
            Assert.True(await scan.MoveNextAsync());
            long until = store.Statistics.TailAddress;
            if (compacts) _ = await store.CompactAsync(until);
            else await store.TruncateAsync(until);
            Assert.Contains(commit, store.Analytics.ScannableCommits); // one of the last two: it can be recovered
            for (int i = 0; i < 2; i++) _ = await store.CommitAsync(CommitKind.FoldOver);
            var refused = await Errors.ThrowsAsync(ErrorReason.CommitUnavailable, () => store.LiveAsync(options));
            Assert.Contains("compaction or truncation", refused.Message, StringComparison.Ordinal);
            long held = store.Statistics.DiskBytes;
            var seen = new SortedSet<long> { scan.Current.Key };
            while (await scan.MoveNextAsync()) Assert.True(seen.Add(scan.Current.Key));
            Assert.Equal((3_000, 0, 2_999), (seen.Count, seen.Min, seen.Max));
            Assert.True(
                SpinWait.SpinUntil(() => store.Statistics.DiskBytes < held, TestBudget.StallTimeout),
                "The scan's space is not released.");
            Assert.Equal(compacts, (await store.LiveAsync()).Count == 6_000);
        });

    [Fact]
    public Task A_damaged_snapshot_is_named_and_the_other_commits_can_be_scanned() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, Keys, 4_000, seed: 1);
        Commit foldOver = await store.CommitAsync(CommitKind.FoldOver);
        var state = new SortedDictionary<long, long?>(model);
        AnalyticsStores.Churn(session, model, Keys, 4_000, seed: 2);
        Commit snapshot = await store.CommitAsync(CommitKind.Snapshot);
        string path = Path.Combine(folder.Path, $"snapshot.{snapshot.Version:D12}");
        byte[] sound = await File.ReadAllBytesAsync(path);
        var random = new Random(3);
        for (int i = 0; i < TestBudget.Times(40); i++)
        {
            int at = random.Next(sound.Length);
            byte[] damaged = [.. sound];
            damaged[at] ^= (byte)(1 << random.Next(8));
            await File.WriteAllBytesAsync(path, damaged);
            var damage = await Assert.ThrowsAsync<DamagedDataException>(() => ScanAsync(snapshot));
            Assert.Equal(path, damage.Path);
            Assert.InRange(damage.Offset, 0, at);
            Assert.Equal(state, await store.LiveAsync(new ScanOptions { AsOf = foldOver }));
        }

        await File.WriteAllBytesAsync(path, sound[..^4096]);
        Assert.Equal(path, (await Assert.ThrowsAsync<DamagedDataException>(() => ScanAsync(snapshot))).Path);
        File.Delete(path);
        Assert.Equal(path, (await Assert.ThrowsAsync<DamagedDataException>(() => ScanAsync(snapshot))).Path);
        await File.WriteAllBytesAsync(path, sound);
        Assert.Equal(model, await ScanAsync(snapshot));

        Task<SortedDictionary<long, long?>> ScanAsync(Commit commit) =>
            store.LiveAsync(new ScanOptions { AsOf = commit });
    });

    [Fact]
    public Task An_export_as_of_a_snapshot_is_the_commits_state_in_another_store() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        await using FasterStore store = await AnalyticsStores.InFolderAsync(folder.Path);
        await using FasterSession session = store.StartSession();
        var model = new SortedDictionary<long, long?>();
        AnalyticsStores.Churn(session, model, Keys, 20_000, seed: 5);
        _ = await store.CommitAsync(CommitKind.Snapshot);
        AnalyticsStores.Churn(session, model, Keys, 3_000, seed: 6);
        Commit commit = await store.CommitAsync(CommitKind.Incremental);
        AnalyticsStores.Churn(session, new Dictionary<long, long?>(), Keys, 3_000, seed: 7);
        using var bytes = new MemoryStream();
        long exported = await store.Analytics.ExportAsync(bytes, new ScanOptions { AsOf = commit });
        Assert.Equal(model.Count, exported);
        bytes.Position = 0;
        await using FasterStore copy = await AnalyticsStores.InMemoryAsync();
        _ = await copy.Analytics.ImportAsync<CounterOperations.Upsert>(bytes);
        Assert.Equal(model, await copy.LiveAsync());
    });

    [Fact]
    public Task Values_of_any_length_are_as_they_were() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        await using FasterStore store = await LargeStore.OpenAsync(path: folder.Path);
        await using FasterSession session = store.StartSession();
        var random = new Random(8);
        var model = new SortedDictionary<int, byte[]>();
        for (int round = 0; round < 6; round++)
        {
            await PutAsync();
            Commit commit = await store.CommitAsync(round == 0 ? CommitKind.Snapshot : CommitKind.Incremental);
            var state = new SortedDictionary<int, byte[]>(model);
            await PutAsync();
            var found = new SortedDictionary<int, byte[]>();
            var options = new ScanOptions { AsOf = commit };
            await foreach (RawRecord record in store.Analytics.ScanAsync(options, RawRecord.Copy))
                found.Add(BitConverter.ToInt32(record.Key), record.Value!);
            Assert.Equal(state, found);
        }

        async Task PutAsync()
        {
            for (int i = 0; i < 60; i++)
            {
                int key = random.Next(40), length = random.Next(10) == 0 ? 9_000 : random.Next(200);
                model[key] = LargeStore.Value(length, random.Next());
                _ = await session.PutAsync(key, LargeStore.InPieces(model[key], 1_000));
            }
        }
    });

    private static async Task<int> CheckAsync(FasterStore store, Dictionary<long, SortedDictionary<long, long?>> states)
    {
        IReadOnlyList<Commit> commits = store.Analytics.ScannableCommits;
        foreach (Commit commit in commits)
        {
            Assert.Equal(states[commit.Version], await store.LiveAsync(new ScanOptions
            {
                AsOf = commit, TableMemory = ScanOptions.MinTableMemory,
            }));
            var newest = new SortedDictionary<long, long?>();
            var all = new ScanOptions { AsOf = commit, Scope = ScanScope.All };
            await foreach ((long key, long? value) in store.Analytics.ScanAsync(all, AnalyticsStores.Pair))
            {
                if (value is null) newest.Remove(key);
                else newest[key] = value;
            }

            Assert.Equal(states[commit.Version], newest);
        }

        return commits.Count;
    }
}
