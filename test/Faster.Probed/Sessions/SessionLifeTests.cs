using Faster.Commits;
using Faster.Engines;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.LogCommits;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Sessions;

/// <summary>
/// Sessions that begin, end, continue and are forgotten while a commit runs: the next commit covers their operations.
/// </summary>
public sealed class SessionLifeTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public SessionLifeTests() => Probe.Current = new PhaseProbe();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(null, CommitKind.FoldOver)]
    [InlineData(null, CommitKind.Snapshot)]
    [InlineData("named", CommitKind.Incremental)]
    public Task Operations_after_a_point_are_covered_by_the_next_commit(string? name, CommitKind kind) =>
        Guard.RunAsync(async () =>
        {
            await using (FasterStore store = await Open())
            {
                Start(store, name, key: 1);
                using var held = new HeldPhase(store, CommitPhase.InProgress);
                Task<Commit> first = store.CommitAsync(kind);
                held.Meanwhile(() => Start(store, name, key: 2));
                Assert.False((await first).WasEmpty);
                Commit second = await store.CommitAsync(kind);
                Assert.False(second.WasEmpty, "What ended during the commit before counts as committed.");
                Assert.True((await store.CommitAsync(kind)).WasEmpty);
            }

            await using FasterStore again = await Open();
            using FasterSession reader = again.StartSession();
            Assert.Equal(1, reader.Get(1));
            Assert.Equal(1, reader.Get(2));
        });

    [Theory]
    [InlineData((int)CommitPhase.Prepare)]
    [InlineData((int)CommitPhase.InProgress)]
    [InlineData((int)CommitPhase.WaitPending)]
    [InlineData((int)CommitPhase.WaitFlush)]
    public Task Operations_that_end_in_a_phase_are_committed_by_the_next_commit_at_the_latest(int phase) =>
        Guard.RunAsync(async () =>
        {
            await using (FasterStore store = await Open())
            {
                FasterSession early = store.StartSession(), both = store.StartSession();
                early.AddTo(1, 1);
                both.AddTo(2, 1);
                using var held = new HeldPhase(store, (CommitPhase)phase);
                Task<Commit> first = store.CommitAsync();
                held.Meanwhile(() =>
                {
                    early.Dispose();
                    both.AddTo(3, 1);
                    both.Dispose();
                    Start(store, null, key: 4);
                    Start(store, "named", key: 5);
                    Start(store, "named", key: 6);
                    Start(store, "forgotten", key: 7);
                    Assert.True(store.ForgetSession("forgotten"));
                });
                _ = await first;
                _ = await store.CommitAsync();
            }

            await using FasterStore again = await Open();
            using FasterSession reader = again.StartSession();
            for (long key = 1; key <= 7; key++) Assert.Equal(1, reader.Get(key));
            Assert.Equal(2, Assert.Single(again.Recovery!.Sessions).SerialNumber);
        });

    [Fact]
    public Task Large_numbers_do_not_pass_for_nothing_done() => Guard.RunAsync(async () =>
    {
        // All numbers together come round to where they were.
        await using (FasterStore store = await Open())
        {
            FasterSession[] sessions = [.. Enumerable.Range(0, 4).Select(i => store.StartSession($"{i}"))];
            foreach (FasterSession session in sessions) session.AddTo(1, 1);
            _ = await store.CommitAsync();
            foreach (FasterSession session in sessions)
            {
                session.SetNextSerialNumber(session.SerialNumber + (1L << 62));
                session.AddTo(2, 1);
            }

            Assert.False((await store.CommitAsync()).WasEmpty);
        }

        await using FasterStore again = await Open();
        using FasterSession reader = again.StartSession();
        Assert.Equal(4, reader.Get(2));
    });

    [Fact]
    public Task Names_that_come_and_go_are_committed_although_no_operation_was_issued() => Guard.RunAsync(async () =>
    {
        await using (FasterStore store = await Open())
        {
            Start(store, "old", key: 1);
            _ = await store.CommitAsync();
            Assert.True(store.ForgetSession("old"));
            store.StartSession("new").Dispose();
            Assert.False((await store.CommitAsync()).WasEmpty);
            Assert.True((await store.CommitAsync()).WasEmpty);
        }

        await using FasterStore again = await Open();
        Assert.Equal("new", Assert.Single(again.Recovery!.Sessions).SessionName);
        Assert.True((await again.CommitAsync()).WasEmpty);
    });

    [Theory]
    [InlineData((int)CommitPhase.WaitPending)]
    [InlineData((int)CommitPhase.WaitFlush)]
    public Task A_session_that_went_on_during_a_commit_hears_its_point(int phase) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        FasterSession session = store.StartSession("a");
        for (int i = 0; i < 33; i++) session.AddTo(i, 1);
        List<CommitPoint> heard = [];
        using var held = new HeldPhase(store, (CommitPhase)phase);
        Task<Commit> commit = store.CommitAsync();
        held.Meanwhile(() =>
        {
            session.Dispose();
            session = store.StartSession("a");
            session.Committed += heard.Add;
        });
        Assert.Equal(33, (await commit).Points.Single().SerialNumber);
        Assert.Equal(33, session.LastCommit.SerialNumber);
        Assert.Equal(33, Assert.Single(heard).SerialNumber);
        Assert.Equal(33, (await session.CommitAsync()).SerialNumber);
        session.Dispose();
        Assert.Equal(33, (session = store.StartSession("a")).RecoveredPoint.SerialNumber);
        session.Dispose();
    });

    [Fact]
    public Task A_new_session_of_a_forgotten_name_is_not_told_the_point_of_the_old_one() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        FasterSession session = store.StartSession("a");
        for (int i = 0; i < 33; i++) session.AddTo(i, 1);
        using var held = new HeldPhase(store, CommitPhase.WaitPending);
        Task<Commit> commit = store.CommitAsync();
        held.Meanwhile(() =>
        {
            session.Dispose();
            Assert.True(store.ForgetSession("a"));
            session = store.StartSession("a");
            session.AddTo(50, 1);
        });
        _ = await commit;
        Assert.Equal(0, session.LastCommit.SerialNumber);
        Assert.Equal(1, (await session.CommitAsync()).SerialNumber);
        session.Dispose();
    });

    [Theory]
    [InlineData(null, (int)CommitPhase.Prepare)]
    [InlineData(null, (int)CommitPhase.InProgress)]
    [InlineData(null, (int)CommitPhase.WaitPending)]
    [InlineData(null, (int)CommitPhase.WaitFlush)]
    [InlineData("named", (int)CommitPhase.Prepare)]
    [InlineData("named", (int)CommitPhase.InProgress)]
    [InlineData("named", (int)CommitPhase.WaitFlush)]
    public Task A_session_that_ends_during_its_own_commit_gets_the_point_of_that_commit(string? name, int phase) =>
        Guard.RunAsync(async () =>
        {
            await using FasterStore store = await Open();
            FasterSession session = store.StartSession(name);
            session.AddTo(1, 1);
            Assert.Equal(1, (await session.CommitAsync()).SerialNumber);
            for (int i = 0; i < 32; i++) session.AddTo(i, 1);
            using var held = new HeldPhase(store, (CommitPhase)phase);
            Task<CommitPoint> commit = session.CommitAsync();
            held.Meanwhile(() =>
            {
                session.AddTo(40, 1); // of the next version, once no session is in Prepare any more
                session.Dispose();
            });
            var expected = new CommitPoint(name, phase == (int)CommitPhase.Prepare ? 34 : 33, 2);
            Assert.Equal(expected, await commit);
        });

    // An acknowledged commit may lack what waited when it was asked for. The list of that goes with the session.
    [Theory]
    [InlineData("listed", false)]
    [InlineData("forgotten", true)]
    [InlineData(null, false)]
    public Task An_operation_that_ends_after_the_point_in_relaxed_order_is_left_out(string? name, bool isForgotten) =>
        Guard.RunAsync(async () =>
        {
            const int Keys = 60_000; // far more than the budget holds
            await using (FasterStore store = await Open(PendingOrder.Relaxed))
            {
                FasterSession session = store.StartSession(name);
                for (long key = 0; key < Keys; key++) session.Put(key, 1);
                var add = new Add(100, null);
                Assert.Equal(Status.Pending, session.Rmw(Key(0), ref add));
                using var held = new HeldPhase(store, CommitPhase.InProgress);
                Task<Commit> first = store.CommitAsync();
                held.Meanwhile(() =>
                {
                    session.Dispose(); // after it has carried out the operation, in the next version
                    if (isForgotten) Assert.True(store.ForgetSession(name!));
                });
                CommitPoint[] expected = name is null || isForgotten
                    ? []
                    : [new CommitPoint(name, Keys + 1, 1) { Excluded = [Keys + 1] }];
                Assert.Equivalent(expected, (await first).Points, strict: true);
                Assert.Equal(1, await ValueOfZeroAsync(store, await first));
                Commit second = await store.CommitAsync();
                Assert.False(second.WasEmpty, "What the commit before left out counts as committed.");
                Assert.All(second.Points, static point => Assert.Empty(point.Excluded));
                Assert.True((await store.CommitAsync()).WasEmpty);
            }

            await using FasterStore again = await Open(PendingOrder.Relaxed);
            using FasterSession reader = again.StartSession();
            Assert.Equal(101, reader.Get(0));
        });

    private static async Task<long> ValueOfZeroAsync(FasterStore store, Commit asOf)
    {
        await foreach ((long key, long value) in store.Analytics.ScanAsync(
            new ScanOptions { AsOf = asOf },
            static record => (BitConverter.ToInt64(record.Key), BitConverter.ToInt64(record.Value))))
        {
            if (key == 0) return value;
        }

        return 0;
    }

    private static void Start(FasterStore store, string? name, long key)
    {
        using FasterSession session = store.StartSession(name);
        session.AddTo(key, 1);
    }

    private async Task<FasterStore> Open(PendingOrder order = PendingOrder.Strict) =>
        await FasterStore.OpenAsync(
            _folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(1), PendingOrder = order }, Schema,
            CancellationToken.None);
}
