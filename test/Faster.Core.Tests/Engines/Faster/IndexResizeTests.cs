using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Trimming;
using Faster.Log;
using Faster.Log.Records;
using Faster.Opening;
using Faster.Stores;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines;

/// <summary>The index of a real store grows and shrinks, by itself and when asked to.</summary>
public sealed class IndexResizeTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<RecordAllocatorKind, double> Shapes => new()
    {
        { RecordAllocatorKind.Hybrid, 0 },
        { RecordAllocatorKind.Hybrid, 0.5 },
        { RecordAllocatorKind.AppendOnly, 0 },
        { RecordAllocatorKind.InMemory, 0 },
    };

    public void Dispose() => _folder.Dispose();

    [Theory, MemberData(nameof(Shapes))]
    public async Task Chains_are_joined_and_parted_and_nothing_is_lost(RecordAllocatorKind kind, double cache)
    {
        const int Keys = 9_000, Rounds = 7;
        await using FasterStore store = await OpenInMemory(kind, cache);
        using FasterSession session = store.StartSession();
        for (long key = 0; key < Keys; key++) session.Put(key, key);
        for (int round = 1; round <= Rounds; round++)
        {
            // What is read-only is copied to the tail, so that chains come to lie on disk, with what joins them.
            if (kind != RecordAllocatorKind.InMemory) store.ScanLog().Dispose();
            await store.ShrinkIndexAsync();
            for (long key = 0; key < Keys; key += 2) session.AddTo(key, 1);
            await store.ShrinkIndexAsync();
            for (long key = 1; key < Keys; key += 2) session.AddTo(key, 1);
            if (round % 3 != 0) for (int i = 0; i < 2; i++) await store.GrowIndexAsync();
            for (long key = 0; key < Keys; key += 7) Assert.Equal(key + round, session.Get(key));
            if (round % 3 == 0) for (int i = 0; i < 2; i++) await store.GrowIndexAsync();
        }

        Assert.Equal(2 * Rounds, store.Statistics.IndexShrinks);
        bool spills = kind != RecordAllocatorKind.InMemory;
        Assert.True(!spills || store.Statistics.LogBytesOnDisk > 0, store.Statistics.ToString());
        for (long key = 0; key < Keys; key += 3) Assert.NotEqual(Status.Pending, session.Remove(key));
        await store.ShrinkIndexAsync();
        for (long key = 0; key < Keys; key++) Assert.Equal(key % 3 == 0 ? null : key + Rounds, session.Get(key));
        Assert.Null(store.Statistics.LastFault);
    }

    [Theory, MemberData(nameof(Shapes))]
    public async Task Sums_are_exact_while_it_grows_and_shrinks_under_load(RecordAllocatorKind kind, double cache)
    {
        const int Keys = 5_000, Threads = 3;
        int each = TestBudget.Times(15_000);
        await using FasterStore store = await OpenInMemory(kind, cache);
        Task[] clients = [.. Enumerable.Range(0, Threads).Select(client => Task.Run(() =>
        {
            using FasterSession session = store.StartSession();
            var random = new Random(client);
            for (int i = 0; i < each; i++)
            {
                session.AddTo(random.Next(Keys), 1);
                if (i % 8 == 0) _ = session.Get(random.Next(Keys));
                if (i % 16 == 0) _ = session.Remove(Keys + random.Next(Keys));
                if (i % 16 == 8) session.Put(Keys + random.Next(Keys), 1);
            }
        }))];
        while (!Task.WhenAll(clients).IsCompleted)
        {
            await TryResize(store.GrowIndexAsync);
            await TryResize(store.ShrinkIndexAsync);
        }

        await Task.WhenAll(clients);
        Assert.True(store.Statistics.IndexShrinks > 0, store.Statistics.ToString());
        using FasterSession reader = store.StartSession();
        long sum = 0;
        for (long key = 0; key < Keys; key++) sum += reader.Get(key) ?? 0;
        Assert.Equal((long)Threads * each, sum);
    }

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public async Task Commits_beside_it_are_recovered(CommitKind kind)
    {
        const int Keys = 8_000;
        var values = new long[Keys];
        var random = new Random(7);
        for (int round = 0; round < 3; round++)
        {
            await using FasterStore store = await OpenInFolder();
            using FasterSession session = store.StartSession("one");
            for (int key = 0; key < Keys; key++) Assert.Equal(values[key], session.Get(key) ?? 0);
            for (int commit = 0; commit < 4; commit++)
            {
                void Work()
                {
                    for (int i = 0; i < 1500; i++)
                    {
                        int key = random.Next(Keys);
                        session.AddTo(key, 1);
                        values[key]++;
                    }
                }

                Work();
                Task resized = TryResize(commit % 2 == 0 ? store.GrowIndexAsync : store.ShrinkIndexAsync);
                Work();
                Task<Commit> committed = store.CommitAsync(kind, withIndex: commit == 1);
                Task back = TryResize(commit % 2 == 0 ? store.ShrinkIndexAsync : store.GrowIndexAsync);
                await Task.WhenAll(resized, back);
                await committed;
            }

            await session.CommitAsync();
            Assert.True(store.Statistics.IndexShrinks > 0, store.Statistics.ToString());
            for (int key = 0; key < Keys; key += 3) session.AddTo(key, 1_000_000); // not committed
        }
    }

    // A chain-join record that was undone by growth, and both of whose keys are gone, must not hide an older record of
    // the buckets that theirs are joined with later.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_merge_record_that_was_undone_hides_nothing_after_a_recovery(bool reopens)
    {
        StoreOptions options = Options with { ExpectedKeys = 1 };
        FasterStore store = await FasterStore.OpenAsync(_folder.Path, options, CounterOperations.Schema, default);
        long other;
        try
        {
            for (int i = 0; i < 2; i++) await store.GrowIndexAsync();
            Assert.Equal(4 * MemoryPlan.MinBuckets, store.Statistics.IndexBuckets);
            long one, two;
            (one, two, other) = OfOneEntry(store);
            using (FasterSession session = store.StartSession())
            {
                session.Put(other, 7);
                session.Put(one, 1);
                session.Put(two, 2);
                long tail = store.Statistics.TailAddress;
                await store.ShrinkIndexAsync();
                Assert.True(store.Statistics.TailAddress > tail, "No merge record was written.");
                await store.GrowIndexAsync();
                _ = session.Remove(one);
                _ = session.Remove(two);
            }

            if (reopens)
            {
                await store.CommitAsync(CommitKind.Snapshot);
                await store.DisposeAsync();
                store = await FasterStore.OpenAsync(_folder.Path, options, CounterOperations.Schema, default);
            }

            for (int i = 0; i < 2; i++) await store.ShrinkIndexAsync();
            using (FasterSession session = store.StartSession()) session.Put(other + 1_000_000, 1);
            await store.CommitAsync(CommitKind.Snapshot);
        }
        finally
        {
            await store.DisposeAsync();
        }

        await using FasterStore again = await FasterStore.OpenAsync(
            _folder.Path, options, CounterOperations.Schema, default);
        Assert.Equal(MemoryPlan.MinBuckets, again.Statistics.IndexBuckets);
        using FasterSession reader = again.StartSession();
        Assert.Equal(7, reader.Get(other));
    }

    // Keys of one entry in an index of the least size, of which the first two part last as it grows to four times that.
    private static (long One, long Two, long Other) OfOneEntry(FasterStore store)
    {
        const long Large = 4 * MemoryPlan.MinBuckets;
        var seen = new Dictionary<(uint, long), long>();
        for (long key = 0; ; key++)
        {
            ulong hash = CounterOperations.Key(key).Hash(store.Tier.Seed);
            uint tag = HashBits.TagOf(hash);
            long bucket = HashBits.BucketOf(hash, Large);
            seen[(tag, bucket)] = key;
            long first = bucket & ~3;
            if (seen.TryGetValue((tag, first), out long one) && seen.TryGetValue((tag, first + 1), out long two)
                && (seen.TryGetValue((tag, first + 2), out long other)
                    || seen.TryGetValue((tag, first + 3), out other)))
                return (one, two, other);
        }
    }

    [Fact]
    public Task A_mostly_empty_index_shrinks_by_itself_and_gives_the_memory_to_the_log() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenInFolder();
        using FasterSession session = store.StartSession();
        long first = store.Statistics.IndexBuckets;
        for (long key = 0; key < 10_000; key++) session.Put(key, key);
        while (store.Statistics.IndexGrowths < 2 || store.Index.IsResizing) await Task.Yield(); // to the resize
        int pages = ((PagedLog)store.Log).ResidentPages;
        for (long key = 0; key < 10_000; key++) _ = session.Remove(key);
        while (store.Statistics.IndexBuckets > first)
        {
            // One deletion in 1,024 triggers a check; it may come while the index is being resized.
            for (long key = 0; key < 2_000; key++)
            {
                session.Put(key, 1);
                _ = session.Remove(key);
            }

            await Task.Yield();
        }

        Assert.Equal(first, store.Statistics.IndexBuckets);
        Assert.True(store.Statistics.IndexShrinks > 1);
        Assert.True(((PagedLog)store.Log).ResidentPages > pages);
        for (long key = 0; key < 10_000; key += 7) Assert.Null(session.Get(key));
    });

    [Fact]
    public async Task It_does_not_shrink_below_what_the_user_asks_for()
    {
        await using FasterStore store = await OpenInFolder();
        using FasterSession session = store.StartSession();
        long first = store.Statistics.IndexBuckets;
        for (int round = 1; round < 4; round++)
        {
            await store.GrowIndexAsync(); // after a shrinking that has begun
            Assert.Equal((first << round, 0), (store.Statistics.IndexBuckets, store.Statistics.IndexShrinks));
            for (long key = 0; key < 2_000; key++)
            {
                session.Put(key, 1);
                _ = session.Remove(key);
            }

            await store.CommitAsync();
        }
    }

    [Fact]
    public async Task An_index_that_cannot_shrink_says_why()
    {
        await using FasterStore odd = await FasterStore.OpenAsync(
            null, Options with { ExpectedKeys = 997 }, CounterOperations.Schema, default);
        Assert.Equal(285, odd.Statistics.IndexBuckets);
        await AssertRefused(odd, "odd");

        await using FasterStore small = await OpenInFolder();
        while (small.Statistics.IndexBuckets > MemoryPlan.MinBuckets) await small.ShrinkIndexAsync();
        await AssertRefused(small, "least size");

        await using FasterStore full = await FasterStore.OpenAsync(null, Options, CounterOperations.Schema, default);
        using FasterSession session = full.StartSession();
        for (long key = 0; full.Index.SharedTagBuckets == 0; key++) session.Put(key, 1);
        await AssertRefused(full, "MemoryBudget");
    }

    private const long EvenBuckets = 30_030; // keys, for which there are 5,720 buckets: they can be halved three times

    private static StoreOptions Options => new()
    {
        MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(4), CommitOnDispose = false,
    };

    private static async Task AssertRefused(FasterStore store, string reason)
    {
        LimitExceededException refusal =
            await Assert.ThrowsAsync<LimitExceededException>(() => store.ShrinkIndexAsync());
        Assert.Contains(reason, refusal.Message, StringComparison.Ordinal);
    }

    private static async Task TryResize(Func<CancellationToken, Task> resize)
    {
        try
        {
            await resize(default);
        }
        catch (LimitExceededException)
        {
            // As large, or as small, as can be.
        }
    }

    private ValueTask<FasterStore> OpenInFolder() =>
        FasterStore.OpenAsync(_folder.Path, Options, CounterOperations.Schema, default);

    [Fact]
    public async Task It_is_looked_at_again_when_it_is_crowded_after_it_was_trimmed()
    {
        await using FasterStore store = await OpenInMemory(RecordAllocatorKind.InMemory, cache: 0);
        var sizer = new IndexSizer(store.Tier, store.Core.MemoryPlan);
        int crowded = 0;
        store.Index.Crowded = () => crowded++;
        FillBuckets(store, address: 1 << 20);
        Assert.True(store.Index.IsCrowded);
        EpochTable epochs = store.Core.Epochs;
        var trimmer = new IndexTrimmer(store.Index, epochs, new StepWaits(epochs));
        for (int round = 1; round <= 3; round++)
        {
            Assert.Equal(round, crowded);
            Assert.True(await trimmer.RunAsync(begin: (round + 1) << 20) > 0);
            Assert.False(store.Index.IsCrowded);
            await sizer.GrowWhileCrowdedAsync();
            FillBuckets(store, address: (round + 1) << 20);
        }

        _ = await trimmer.RunAsync(begin: 9 << 20); // no record is there
    }

    // So that each fourth bucket has an overflow bucket: the index is crowded, but far from full.
    private static unsafe void FillBuckets(FasterStore store, long address)
    {
        EpochSlot* slot = store.Core.Epochs.Acquire("test");
        store.Core.Epochs.Enter(slot);
        for (long number = 0, count = store.Index.BucketCount; number < count; number += 4)
        {
            Assert.True(store.Index.TryLocate(HashBits.HashOf(number, count, tag: 0), out BucketRef bucket));
            for (uint tag = 0; tag <= HashBucket.EntryCount; tag++)
                Assert.True(store.Index.TryInsert(bucket.Bucket, tag, address));
        }

        store.Core.Epochs.Leave(slot);
        store.Core.Epochs.Release(slot);
    }

    private static ValueTask<FasterStore> OpenInMemory(RecordAllocatorKind kind, double cache) =>
        FasterStore.OpenAsync(
            null,
            kind == RecordAllocatorKind.InMemory
                ? new StoreOptions { MemoryBudget = ByteSize.MiB(8), Allocator = kind, ExpectedKeys = EvenBuckets }
                : Options with
                {
                    MemoryBudget = ByteSize.MiB(2), Allocator = kind, ReadCacheFraction = cache,
                    ExpectedKeys = EvenBuckets, Device = new MemoryDevice(),
                },
            CounterOperations.Schema, default);
}
