using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>Closing a store commits what was done since the last commit, unless an option turns that off.</summary>
public sealed class CommitOnDisposeTests : IDisposable
{
    private const int Keys = 40_000; // twice as many as fit in memory

    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ReadCacheFraction = 0,
    };

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<CommitKind, PendingOrder, bool> Forms
    {
        get
        {
            var forms = new TheoryData<CommitKind, PendingOrder, bool>();
            foreach (CommitKind kind in Enum.GetValues<CommitKind>())
            foreach (bool blocks in new[] { true, false })
                forms.Add(kind, blocks ? PendingOrder.Relaxed : PendingOrder.Strict, blocks);
            return forms;
        }
    }

    public void Dispose() => _folder.Dispose();

    [Theory, MemberData(nameof(Forms))]
    public Task Everything_done_is_there_when_the_store_opens_again(CommitKind kind, PendingOrder order, bool blocks) =>
        Guard.RunAsync(async () =>
        {
            StoreOptions options = Small with { CommitKind = kind, PendingOrder = order };
            long last;
            var added = new CounterOperations.Outcome();
            Commit? made = null;
            FasterStore store = await Open(options);
            store.Committed += commit => made = commit;
            using (FasterSession closed = store.StartSession())
                for (int key = 0; key < Keys; key++) closed.Put(key, key);
            FasterSession named = store.StartSession("loader"), unnamed = store.StartSession();
            if (kind == CommitKind.Incremental) await store.CommitAsync();
            for (int key = Keys - 100; key < Keys; key++) named.AddTo(key, 1);
            unnamed.Put(-1, 7);
            var add = new Add(5, added);
            var read = new Read(new CounterOperations.Outcome());
            Assert.Equal(Status.Pending, named.Rmw(Key(1), ref add));
            Assert.Equal(Status.Pending, unnamed.Read(Key(2), ref read));
            Task<Status> awaited = unnamed.AddAsync(3, 5).AsTask();
            last = named.SerialNumber;
            await CloseAsync(store, blocks);
            Assert.Equal(kind, made!.Kind);
            Assert.Equal(last, Assert.Single(made.Points).SerialNumber);
            Assert.Equal(1, added.Completions);
            Assert.Equal(Status.Ok, await awaited);

            await using FasterStore again = await Recover(options);
            using FasterSession session = again.ContinueSession("loader", out CommitPoint point);
            Assert.Equal(last, point.SerialNumber);
            Assert.Empty(point.Excluded);
            Assert.Equal(7, session.Get(-1));
            for (int key = 0; key < Keys; key++)
            {
                int expected = key + (key is 1 or 3 ? 5 : key >= Keys - 100 ? 1 : 0);
                Assert.Equal(expected, session.Get(key));
            }
        });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Without_the_option_only_what_a_commit_covers_is_there(bool blocks) => Guard.RunAsync(async () =>
    {
        StoreOptions options = Small with { CommitOnDispose = false };
        FasterStore store = await Open(options);
        FasterSession session = store.StartSession("loader");
        session.Put(1, 1);
        CommitPoint committed = await session.CommitAsync();
        session.Put(1, 2);
        await CloseAsync(store, blocks);

        await using FasterStore again = await Recover(options);
        using FasterSession continued = again.ContinueSession("loader", out CommitPoint point);
        Assert.Equal(committed, point);
        Assert.Equal(1, continued.Get(1));
    });

    [Fact]
    public Task Nothing_done_since_the_last_commit_makes_no_commit() => Guard.RunAsync(async () =>
    {
        var versions = new List<long>();
        for (int round = 0; round < 3; round++)
        {
            FasterStore store = await Open(Small);
            int commits = 0;
            store.Committed += _ => commits++;
            FasterSession session = store.StartSession("loader");
            if (round == 0)
            {
                session.Put(1, 1);
                await store.CommitAsync();
                commits = 0;
            }

            versions.Add(store.Recovery?.Version ?? 0);
            await store.DisposeAsync();
            Assert.Equal(0, commits);
        }

        Assert.Equal([0, versions[1], versions[1]], versions);
    });

    [Fact]
    public Task A_commit_that_was_requested_before_the_closing_is_made() => Guard.RunAsync(async () =>
    {
        FasterStore store = await Open(Small);
        FasterSession session = store.StartSession("loader");
        session.Put(1, 1);
        Task<Commit>[] requested = [.. Enum.GetValues<CommitKind>().Select(kind => store.CommitAsync(kind))];
        await store.DisposeAsync();
        foreach (Task<Commit> commit in requested) Assert.Equal(1, Assert.Single((await commit).Points).SerialNumber);
    });

    [Fact]
    public Task Two_threads_that_close_make_one_commit() => Guard.RunAsync(async () =>
    {
        for (int round = 1; round <= TestBudget.Times(10); round++)
        {
            FasterStore store = await Open(Small);
            int commits = 0;
            store.Committed += _ => commits++;
            using (FasterSession session = store.StartSession()) session.AddTo(1, 1);
            await Task.WhenAll(
                Guard.RunAsync(store.Dispose), Guard.RunAsync(async () => await store.DisposeAsync()));
            Assert.Equal(1, commits);
            await using FasterStore again = await Recover(Small);
            using FasterSession reader = again.StartSession();
            Assert.Equal(round, reader.Get(1));
        }
    });

    /// <summary>Periodic commits, compaction by a disk budget and growth of the index are under way.</summary>
    [Theory, MemberData(nameof(Forms))]
    public Task Beside_the_store_s_own_work(CommitKind kind, PendingOrder order, bool blocks) =>
        Guard.RunAsync(async () =>
        {
            StoreOptions options = Small with
            {
                CommitKind = kind, PendingOrder = order, CommitEvery = TimeSpan.FromMilliseconds(1),
                DiskBudget = ByteSize.KiB(512), ReadCacheFraction = 0.3,
            };
            var total = new Dictionary<long, long>();
            var random = new Random(5);
            for (int round = 0; round < TestBudget.Times(4); round++)
            {
                FasterStore store = await Open(options);
                FasterSession session = store.StartSession("loader");
                for (int i = 0; i < 8_000; i++)
                {
                    long key = random.Next(4_000 * (round + 1));
                    session.AddTo(key, 1);
                    total[key] = total.GetValueOrDefault(key) + 1;
                }

                Task growth = store.GrowIndexAsync();
                await CloseAsync(store, blocks);
                await growth.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            await using FasterStore again = await Recover(options);
            using FasterSession reader = again.StartSession();
            foreach ((long key, long sum) in total) Assert.Equal(sum, reader.Get(key));
        });

    [Fact]
    public Task Closing_asynchronously_does_not_block_while_the_commit_writes() => Guard.RunAsync(async () =>
    {
        var held = new HeldWrites(new MemoryDevice());
        FasterStore store = await Open(Small with { Device = held });
        var committed = new TaskCompletionSource();
        store.Committed += _ => committed.SetResult();
        using (FasterSession session = store.StartSession()) session.Put(1, 1);
        held.Hold();
        Task closing = store.DisposeAsync().AsTask(); // returns, or this test does not end
        Assert.False(closing.IsCompleted);
        held.Release();
        await closing;
        Assert.True(committed.Task.IsCompleted);
    });

    private static async Task CloseAsync(FasterStore store, bool blocks)
    {
        if (blocks) store.Dispose();
        else await store.DisposeAsync();
    }

    private ValueTask<FasterStore> Open(StoreOptions options) =>
        FasterStore.OpenAsync(_folder.Path, options, Schema, default);

    private ValueTask<FasterStore> Recover(StoreOptions options) =>
        FasterStore.RecoverAsync(_folder.Path, options, Schema, null, default);
}
