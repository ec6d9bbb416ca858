using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Log.Records;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Opening;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Index.Entries;

/// <summary>Deltas, large values and commits over every kind of entries.</summary>
public sealed class EntryFeatureTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public async Task Deltas_agree_with_a_dictionary(EntryKind kind) => await Guard.RunAsync(async () =>
    {
        const int Keys = 24_000; // about twice as many as memory holds
        var entries = new EntryMaker(kind);
        await using FasterStore store = EntryStore.Open(entries, MergingOperations.Schema, null);
        using ChunkWorld? chunks = entries.World();
        using EntryRunner runner = store.Runner(kind);
        Dictionary<long, long> model = [];
        var random = new Random(7);
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < 16_000; i++)
            {
                long key = random.Next(Keys);
                var add = new MergingOperations.Sum(i);
                _ = runner.Rmw(Key(key), ref add);
                model[key] = model.GetValueOrDefault(key) + i;
                if (i % 9 != 0) continue;
                var delete = default(Delete);
                long dead = random.Next(Keys);
                _ = runner.Delete(Key(dead), ref delete);
                _ = model.Remove(dead);
            }

            chunks?.Age();
            await CompactAsync(store, runner);
        }

        Assert.True(store.Statistics.DeltasAppended > 1000, $"{store.Statistics.DeltasAppended} deltas were appended.");
        Assert.True(store.Statistics.DeltasCollapsed > 100, "Hardly any delta was collapsed.");
        AssertRead(chunks, store);
        for (long key = 0; key < Keys; key++)
            Assert.Equal(model.TryGetValue(key, out long value) ? value : null, Total(runner, key));
    });

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public async Task Large_values_agree_with_a_dictionary(EntryKind kind) => await Guard.RunAsync(async () =>
    {
        const int Keys = 60, Page = 4096;
        var entries = new EntryMaker(kind);
        await using FasterStore store = EntryStore.Open(entries, BytesOperations.Schema, null);
        using ChunkWorld? chunks = entries.World();
        using EntryRunner runner = store.Runner(kind);
        Dictionary<int, byte[]> model = [];
        var random = new Random(3);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < 150; i++)
            {
                int key = random.Next(Keys);
                byte[] bytes = new byte[random.Next(i % 3 == 0 ? 5 * Page : 200)];
                random.NextBytes(bytes);
                byte[] name = BitConverter.GetBytes(key);
                if (i % 5 != 0)
                {
                    var upsert = new BytesOperations.Upsert(bytes);
                    _ = runner.Upsert(new BytesKey(name), ref upsert);
                    model[key] = bytes;
                }
                else
                {
                    var append = new BytesOperations.Appending(bytes);
                    _ = runner.Rmw(new BytesKey(name), ref append);
                    model[key] = [.. model.GetValueOrDefault(key) ?? [], .. bytes];
                }
            }

            chunks?.Age();
            await CompactAsync(store, runner);
        }

        AssertRead(chunks, store);
        Assert.Contains(model.Values, static bytes => bytes.Length > Page);
        foreach ((int key, byte[] bytes) in model)
        {
            var found = new BytesOperations.Found();
            var read = new BytesOperations.Read(found);
            _ = runner.Read(new BytesKey(BitConverter.GetBytes(key)), ref read);
            Assert.Equal(bytes, found.Value);
        }
    });

    /// <summary>
    /// Commits are recovered into buckets, whatever the entries lay in: the log has all. The chains of a recovered log
    /// are those of the entries with which it was written, so no two keys have the same tag here: of keys that share a
    /// bucket's entry and no chunk's, the replay would find one only.
    /// </summary>
    [Theory]
    [InlineData(EntryKind.Buckets, CommitKind.FoldOver)]
    [InlineData(EntryKind.Buckets, CommitKind.Snapshot)]
    [InlineData(EntryKind.Chunks, CommitKind.FoldOver)]
    [InlineData(EntryKind.StagedChunks, CommitKind.FoldOver)]
    [InlineData(EntryKind.Chunks, CommitKind.Snapshot)]
    [InlineData(EntryKind.StagedChunks, CommitKind.Snapshot)]
    [InlineData(EntryKind.Chunks, CommitKind.Incremental)]
    [InlineData(EntryKind.StagedChunks, CommitKind.Incremental)]
    public async Task A_commit_covers_a_prefix_of_each_session(EntryKind kind, CommitKind commitKind) =>
        await Guard.RunAsync(async () =>
        {
            const int Threads = 3, Keys = 3_000, Commits = 3;
            (Commit commit, long[] keys) = await CommitBesideAdditionsAsync(
                kind, commitKind, Threads, Keys, Commits);
            Dictionary<long, long> model = [];
            foreach (CommitPoint point in commit.Points.Where(static point => point.SessionName is not null))
            {
                for (long i = 0; i < point.SerialNumber; i++)
                {
                    long key = KeyOf(point.SessionName!, i, keys);
                    model[key] = model.GetValueOrDefault(key) + 1;
                }
            }

            await using FasterStore store = await FasterStore.OpenAsync(
                _folder.Path, GarbageStore.Small.For(_folder.Path), CounterOperations.Schema, default);
            Assert.Equal(commit.Version, store.Recovery!.Version);
            Assert.True(model.Values.Sum() > Threads * 100, "The commit covers hardly anything.");
            using FasterSession session = store.StartSession();
            var wrong = new List<string>();
            foreach (long key in keys)
            {
                long? expected = model.TryGetValue(key, out long value) ? value : null, found = session.Get(key);
                if (found != expected) wrong.Add($"{key}: {found} instead of {expected}");
            }

            Assert.True(
                wrong.Count == 0,
                $"{wrong.Count} keys are wrong after {string.Join(", ", commit.Points)}: "
                + string.Join("; ", wrong.Take(9)));
        });

    // Each thread adds 1 to keys in an order of its own, so that its serial number tells what a commit covers.
    private async Task<(Commit Commit, long[] Keys)> CommitBesideAdditionsAsync(
        EntryKind kind, CommitKind commitKind, int threads, int count, int commits)
    {
        var entries = new EntryMaker(kind);
        await using FasterStore store = EntryStore.Open(entries, CounterOperations.Schema, _folder.Path);
        using ChunkWorld? chunks = entries.World();
        long[] keys = KeysOfOwnTags(store.Tier.Seed, count);
        bool isOver = false;
        long added = 0;
        Task adding = Task.WhenAll(Enumerable.Range(1, threads).Select(thread => Guard.RunAsync(() =>
        {
            string name = $"{thread}";
            using EntryRunner runner = store.Runner(kind, name);
            for (long i = 0; !Volatile.Read(ref isOver); i++)
            {
                var add = new Add(1, null);
                _ = runner.Rmw(Key(KeyOf(name, i, keys)), ref add);
                Interlocked.Increment(ref added);
                if (thread == 1 && i % 1000 == 0) chunks?.Age();
            }
        })));
        Commit? commit = null;
        for (int i = 0; i < commits; i++)
        {
            long more = Volatile.Read(ref added) + 5_000;
            bool goesOn = SpinWait.SpinUntil(() => Volatile.Read(ref added) >= more, TestBudget.StallTimeout);
            Assert.True(goesOn, "The threads stand still.");
            commit = await store.CommitAsync(commitKind);
        }

        Volatile.Write(ref isOver, true);
        await adding;
        return (commit!, keys);
    }

    private static long[] KeysOfOwnTags(HashSeed seed, int count)
    {
        HashSet<uint> tags = [];
        var keys = new List<long>();
        for (long key = 0; keys.Count < count; key++)
            if (tags.Add(HashBits.TagOf(Key(key).Hash(seed)))) keys.Add(key);
        return [.. keys];
    }

    private static long KeyOf(string session, long operation, long[] keys) =>
        keys[((operation * 7) + (session[0] * 101)) % keys.Length];

    private static Task CompactAsync(FasterStore store, EntryRunner runner)
    {
        var log = (PagedLog)store.Log;
        return runner.CompactAsync(log.PageStartOf(log.HeadAddress));
    }

    private static void AssertRead(ChunkWorld? chunks, FasterStore store)
    {
        Assert.True(store.Log.BeginAddress > PagedLog.FirstAddress, "Nothing was compacted.");
        chunks?.AssertRead();
    }

    private static long? Total(EntryRunner runner, long key)
    {
        var outcome = new CounterOperations.Outcome();
        var read = new MergingOperations.Look(outcome);
        Status status = runner.Read(Key(key), ref read);
        if (status != Status.Pending) return status == Status.Ok ? read.Value : null;
        return outcome.Status == Status.Ok ? outcome.Value : null;
    }
}
