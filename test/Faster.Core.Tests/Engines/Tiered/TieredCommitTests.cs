using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.Tests.Devices.Folders;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Tiered stores whose records move all the time are committed, closed without a commit, and opened again. All keys
/// are compared with a model of the session's prefix.
/// </summary>
public sealed class TieredCommitTests : IDisposable
{
    private const int Keys = 20_000, Steps = 30_000, Rounds = 2;

    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 10_000,
        SegmentSize = ByteSize.KiB(256), CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();
    private readonly Dictionary<long, long> _model = [];
    private readonly List<(long Serial, long Key, long? Value)> _done = []; // since the recovered point

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(CommitKind.FoldOver, 0.75, true)]
    [InlineData(CommitKind.FoldOver, 0, false)]
    [InlineData(CommitKind.Snapshot, 0.75, false)]
    [InlineData(CommitKind.Incremental, 0, true)]
    public async Task A_recovered_store_has_the_prefix_of_its_session_in_both_tiers(
        CommitKind kind, double cacheFraction, bool withIndex)
    {
        TieredOptions options = Small with { ReadCacheFraction = cacheFraction, CommitKind = kind };
        var random = new Random(20261125);
        for (int round = 0; round <= Rounds; round++)
        {
            await using TieredStore store =
                await TieredStore.OpenAsync(_folder.Path, options, Schema, CancellationToken.None);
            Assert.Equal(round != 0, store.Recovery is not null);
            using TieredSession session = store.StartSession("client");
            BackTo(session.RecoveredPoint.SerialNumber);
            CheckAll(session);
            if (round == Rounds) break;
            for (int part = 0; part < 3; part++)
            {
                Run(session, random, Steps / 3);
                Task<Commit> commit = store.CommitAsync(withIndex: withIndex && part == 1);
                if (part == 2) _ = store.CompactColdAsync(store.Cold.Log.HeadAddress);
                Run(session, random, Steps / 10);
                Assert.Equal(kind == CommitKind.FoldOver, (await commit).Kind == CommitKind.FoldOver);
            }

            // The log is beyond its size, so a step is under way or due; a busy machine may be late with it.
            await store.Hot.PagedLog!.Gate
                .WaitForAsync(() => store.Hot.Log.BeginAddress > PagedLog.FirstAddress, CancellationToken.None)
                .WaitAsync(TestBudget.StallTimeout);
            Assert.True(store.HotTruncation.Figures.RecordsCopied > 0, "No record has moved.");
            Assert.Null(store.Core.Faults.Last);
        }
    }

    [Fact]
    public async Task Deleted_keys_stay_deleted_although_their_records_lie_in_the_cold_log()
    {
        await using (TieredStore store = await OpenAsync(Small))
        {
            using TieredSession session = store.StartSession("client");
            for (long key = 0; key < 2000; key++) Put(session, key, key);
            _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
            Assert.True(store.HotTruncation.Figures.RecordsCopied > 1000);
            for (long key = 0; key < 2000; key += 2) Remove(session, key);
            _ = await store.CommitAsync();
        }

        await using TieredStore again = await OpenAsync(Small);
        using TieredSession client = again.ContinueSession("client", out CommitPoint point);
        Assert.Equal(3000, point.SerialNumber);
        CheckAll(client, 2000);
    }

    [Fact]
    public async Task A_closed_store_has_everything_and_its_space_is_given_back()
    {
        TieredOptions options = Small with { CommitOnDispose = true, DiskBudget = ByteSize.MiB(24) };
        var random = new Random(3);
        for (int round = 0; round < 2; round++)
        {
            await using TieredStore store = await OpenAsync(options);
            using TieredSession session = store.StartSession("client");
            Assert.Equal(session.RecoveredPoint.SerialNumber, _done.Count == 0 ? 0 : _done[^1].Serial);
            CheckAll(session);
            Run(session, random, 2 * Steps);
            Assert.Null(store.Core.Faults.Last);
            if (round == 1) Assert.False(File.Exists(Path.Combine(_folder.Path, "log.000000000000")), "Space is held.");
        }
    }

    [Fact]
    public async Task A_commit_without_moves_names_the_directory_of_the_last_one()
    {
        await using TieredStore store = await OpenAsync(Small);
        using TieredSession session = store.StartSession();
        for (long key = 0; key < 2000; key++) Put(session, key, 1);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress / 2);
        _ = await store.CommitAsync();
        string[] first = Directory.GetFiles(_folder.Path, "directory.*");
        Put(session, 2, 2);
        _ = await store.CommitAsync();
        Assert.Equal(first, Directory.GetFiles(_folder.Path, "directory.*"));
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        Put(session, 3, 3);
        _ = await store.CommitAsync();
        Assert.Equal(2, Directory.GetFiles(_folder.Path, "directory.*").Length);
    }

    [Fact]
    public async Task Engines_refuse_each_others_folders()
    {
        await (await OpenAsync(Small)).DisposeAsync();
        StoreOpenException refused = await Assert.ThrowsAsync<StoreOpenException>(async () =>
            await Faster.Engines.FasterStore.OpenAsync(
                _folder.Path, new StoreOptions(), Schema, CancellationToken.None));
        Assert.Contains(nameof(TieredEngine), refused.Message, StringComparison.Ordinal);
        using var other = new TemporaryFolder();
        await (await Faster.Engines.FasterStore.OpenAsync(
            other.Path, new StoreOptions(), Schema, CancellationToken.None)).DisposeAsync();
        refused = await Assert.ThrowsAsync<StoreOpenException>(async () =>
            await TieredStore.OpenAsync(other.Path, Small, Schema, CancellationToken.None));
        Assert.Contains(nameof(FasterEngine), refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_that_the_store_cannot_honor_are_refused()
    {
        await using (TieredStore store =
            await TieredStore.OpenAsync(null, new TieredOptions(), Schema, CancellationToken.None))
            await Assert.ThrowsAsync<NotSupportedException>(() => store.CommitAsync());

        StoreOpenException refused = await Assert.ThrowsAsync<StoreOpenException>(async () =>
            await TieredStore.OpenAsync(
                null, new TieredOptions { CommitEvery = TimeSpan.FromSeconds(1) }, Schema, CancellationToken.None));
        Assert.Contains("TieredOptions.CommitEvery", refused.Message, StringComparison.Ordinal);
        await (await OpenAsync(Small)).DisposeAsync();
        refused = await Assert.ThrowsAsync<StoreOpenException>(async () =>
            await OpenAsync(Small with { ChunkSize = new ByteSize(128) }));
        Assert.Contains("ChunkSize", refused.Message, StringComparison.Ordinal);
    }

    private ValueTask<TieredStore> OpenAsync(TieredOptions options) =>
        TieredStore.OpenAsync(_folder.Path, options, Schema, CancellationToken.None);

    private void Run(TieredSession session, Random random, int steps)
    {
        for (int step = 0; step < steps; step++)
        {
            long key = random.Next(Keys);
            switch (random.Next(8))
            {
                case 0:
                    Remove(session, key);
                    break;
                case 1 or 2 or 3:
                    Put(session, key, step);
                    break;
                case 4 or 5:
                    var add = new Add(3, null);
                    Complete(session, session.Rmw(Key(key), ref add));
                    Note(session, key, _model.GetValueOrDefault(key) + 3);
                    break;
                default:
                    Check(session, key);
                    break;
            }
        }
    }

    private void Put(TieredSession session, long key, long value)
    {
        var upsert = new Upsert(value);
        Complete(session, session.Upsert(Key(key), ref upsert));
        Note(session, key, value);
    }

    private void Remove(TieredSession session, long key)
    {
        var delete = default(Delete);
        Complete(session, session.Delete(Key(key), ref delete));
        Note(session, key, null);
    }

    // Beside a commit a blind update may be pending too, and a read does not see it then.
    private static void Complete(TieredSession session, Status status)
    {
        if (status == Status.Pending) session.CompletePending(wait: true);
    }

    private void Note(TieredSession session, long key, long? value)
    {
        _done.Add((session.SerialNumber, key, value));
        if (value is { } set) _model[key] = set;
        else _model.Remove(key);
    }

    // The model of what was done up to a point.
    private void BackTo(long serial)
    {
        _done.RemoveAll(one => one.Serial > serial);
        _model.Clear();
        foreach ((_, long key, long? value) in _done)
        {
            if (value is { } set) _model[key] = set;
            else _model.Remove(key);
        }
    }

    private void CheckAll(TieredSession session, int keys = Keys)
    {
        for (long key = 0; key < keys; key++) Check(session, key);
    }

    private void Check(TieredSession session, long key)
    {
        (Status status, long value) = ReadToEnd(session, key);
        bool exists = _model.TryGetValue(key, out long expected);
        Assert.True((status == Status.Ok) == exists, $"key {key}: {status}");
        if (exists) Assert.Equal(expected, value);
    }
}
