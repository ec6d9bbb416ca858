using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Index.Entries;
using Faster.Log;
using Faster.LogSessions.Pending;
using Faster.Probes;
using Faster.Tests.Compaction;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Index.Entries;

/// <summary>
/// The algorithms that ship, over every kind of entries: one suite for FASTER's index, and for one whose entries lie in
/// records that may be on disk.
/// </summary>
public sealed class EntryAlgorithmTests
{
    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(200), PreemptionBound = 3 };

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public async Task Operations_agree_with_a_dictionary(EntryKind kind) =>
        await TestSeed.RunAsync(1, seed => Guard.RunAsync(() => CompareAsync(kind, seed)));

    private static async Task CompareAsync(EntryKind kind, int seed)
    {
        const int Keys = 24_000, Operations = 40_000;
        var entries = new EntryMaker(kind);
        await using FasterStore store = EntryStore.Open(entries);
        using ChunkWorld? chunks = entries.World();
        using EntryClient client = store.Client(kind);
        Dictionary<long, long> model = [];
        var random = new Random(seed);
        for (int i = 0; i < Operations; i++)
        {
            long key = random.Next(Keys);
            switch (random.Next(8))
            {
                case 0 or 1:
                    Assert.Equal(model.TryGetValue(key, out long value) ? value : null, client.Get(key));
                    break;
                case 2:
                    _ = client.Remove(key);
                    _ = model.Remove(key);
                    break;
                case 3 or 4:
                    client.AddTo(key, i);
                    model[key] = model.GetValueOrDefault(key) + i;
                    break;
                default:
                    client.Put(key, i);
                    model[key] = i;
                    break;
            }

            if (i % 1_997 == 0) chunks?.Age();
            if (i != Operations / 2) continue;
            await client.CompactAsync(((PagedLog)store.Log).PageStartOf(store.Log.HeadAddress));
        }

        for (long key = 0; key < Keys; key++)
            Assert.Equal(model.TryGetValue(key, out long value) ? value : null, client.Get(key));
        Assert.True(store.Log.HeadAddress > store.Log.BeginAddress, "Nothing was on disk.");
        chunks?.AssertRead();
    }

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public async Task Additions_by_threads_beside_a_compaction_sum_exactly(EntryKind kind)
    {
        const int Threads = 3, Keys = 2_000, Filled = 32_000; // more than memory holds
        int rounds = TestBudget.Times(4);
        var entries = new EntryMaker(kind);
        await using FasterStore store = EntryStore.Open(entries);
        using ChunkWorld? chunks = entries.World();
        using EntryClient client = store.Client(kind);
        var log = (PagedLog)store.Log;
        for (long key = 0; key < Filled; key++) client.Put(key, key);
        chunks?.Age();
        bool isOver = false;
        Task adding = Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Guard.RunAsync(() =>
        {
            using EntryClient own = store.Client(kind);
            for (int i = 0; i < rounds * Keys; i++) own.AddTo(i % Keys, 1);
        })));
        Task aging = Guard.RunAsync(() =>
        {
            for (; !Volatile.Read(ref isOver); Thread.Yield()) chunks?.Age();
        });
        long until = log.PageStartOf(log.HeadAddress);
        await client.CompactAsync(until);
        await adding;
        Volatile.Write(ref isOver, true);
        await aging;
        Assert.True(until > PagedLog.FirstAddress && log.BeginAddress == until, "Nothing was compacted.");
        chunks?.AssertRead();
        for (long key = 0; key < Filled; key++)
            Assert.Equal(key < Keys ? key + (Threads * rounds) : key, client.Get(key));
    }

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public async Task Threads_that_add_to_new_keys_lose_nothing(EntryKind kind)
    {
        const int Threads = 4, Keys = 500;
        var entries = new EntryMaker(kind);
        await using FasterStore store = EntryStore.Open(entries);
        using ChunkWorld? chunks = entries.World();
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Guard.RunAsync(() =>
        {
            using EntryClient own = store.Client(kind);
            for (long key = 0; key < Keys; key++)
            {
                own.AddTo(key, thread + 1);
                if (thread == 0 && key % 50 == 0) chunks?.Age();
            }
        })));
        using EntryClient client = store.Client(kind);
        for (long key = 0; key < Keys; key++) Assert.Equal(Threads * (Threads + 1) / 2, client.Get(key));
    }

    [Fact]
    public async Task A_chunk_that_can_not_be_read_fails_its_operation_and_changes_nothing()
    {
        using var device = new FaultDevice(new MemoryDevice());
        var entries = new EntryMaker(EntryKind.Chunks, device);
        await using FasterStore store = EntryStore.Open(entries);
        using ChunkWorld chunks = entries.World()!;
        using EntryClient client = store.Client(EntryKind.Chunks);
        client.Put(1, 5);
        chunks.Age();
        device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Read, 1, Persistent: true)] });
        Assert.Throws<StorageException>(() => client.AddTo(1, 1));
        device.Arm(FaultPlan.None);
        Assert.Equal(5, client.Get(1));
    }

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public void A_copy_never_hides_what_is_newer(EntryKind kind) =>
        Explorer.Run(Options, () => CopyBesideUpdates(kind)).AssertClean();

    [Theory]
    [InlineData(EntryKind.Buckets)]
    [InlineData(EntryKind.Chunks)]
    [InlineData(EntryKind.StagedChunks)]
    public void A_copy_that_does_not_look_again_is_found(EntryKind kind) => Explorer
        .Run(Options with { Bugs = [SeededBug.CopyWithoutRecheck], Schedules = 3000 }, () => CopyBesideUpdates(kind))
        .AssertFound("Values differ");

    // The record that is copied is immutable; meanwhile its key is updated, and the chunk of its entry moves.
    private static Scenario CopyBesideUpdates(EntryKind kind)
    {
        var entries = new EntryMaker(kind);
        var host = new ScheduledHost(new ScheduledHostShape
        {
            Schema = CounterOperations.Schema, IsAtOnce = true, IsCached = false, EntryIndex = entries.OfPlan,
        });
        ChunkWorld? chunks = entries.World();
        ScheduledProbe.WaitAlone(() =>
        {
            _ = chunks?.Index.Log.TakeTurn();
            IOThread.Of(host.Store.Tier).TakeTurn();
        });
        EntryClient one = host.Store.Client(kind), two = host.Store.Client(kind);
        long first = host.Log.TailAddress;
        one.Put(1, 10);
        _ = host.Log.ShiftReadOnlyToTail();
        Action[] clients = [() => one.Copy(1, first, 10), () => two.AddTo(1, 7), () => chunks?.Age()];
        return new Scenario(
            chunks?.Threads(clients) ?? clients,
            () =>
            {
                Assert.Equal(17, one.Get(1));
                one.Dispose();
                two.Dispose();
                chunks?.Dispose();
                host.Dispose();
            });
    }
}
