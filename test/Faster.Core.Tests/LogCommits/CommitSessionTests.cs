using Faster.Contracts;
using Faster.Engines;
using Faster.Operations.Waiting;
using Faster.Sessions;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.LogCommits;

/// <summary>
/// Sessions beside commits: idle, laden with pending operations, disposed of, with numbers of their own.
/// </summary>
public sealed class CommitSessionTests : IDisposable
{
    private static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(30);

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Pending_operations_of_an_idle_session_do_not_hold_a_commit_up_and_are_in_it()
    {
        const int Keys = 100_000; // far more than the budget holds
        CommitPoint point;
        var outcomes = new CounterOperations.Outcome[50];
        await using (FasterStore store = await Open())
        {
            using FasterSession session = store.StartSession("laden");
            for (long key = 0; key < Keys; key++) session.Put(key, 1);
            int pending = 0;
            for (int i = 0; i < outcomes.Length; i++)
            {
                var add = new Add(100, outcomes[i] = new CounterOperations.Outcome());
                if (session.Rmw(Key(i), ref add) == Status.Pending) pending++;
            }

            Assert.True(pending > 0, "Everything was in memory.");

            // The session's owner does nothing from here on.
            Commit commit = await store.CommitAsync().WaitAsync(StallTimeout);
            point = commit.Points.Single();
            Assert.Equal(Keys + outcomes.Length, point.SerialNumber);
            Assert.Empty(point.Excluded);
            session.CompletePending(wait: true);
            Assert.Equal(pending, outcomes.Sum(static outcome => outcome.Completions));
        }

        await using FasterStore again = await Open();
        using FasterSession continued = again.StartSession("laden");
        Assert.Equal(point.SerialNumber, continued.RecoveredPoint.SerialNumber);
        for (int i = 0; i < outcomes.Length; i++) Assert.Equal(101, continued.Get(i));
    }

    [Fact]
    public async Task Relaxed_commit_points_list_what_they_leave_out()
    {
        const int Keys = 60_000;
        CommitPoint? last = null;
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), PendingOrder = PendingOrder.Relaxed };
        await using (FasterStore store = await Open(options))
        {
            using FasterSession session = store.StartSession("relaxed");
            for (long key = 0; key < Keys; key++) session.Put(key, 1);
            for (int i = 0; i < 200; i++)
            {
                var add = new Add(100, null);
                _ = session.Rmw(Key(i), ref add);
                if (i % 50 == 49) last = (await store.CommitAsync().WaitAsync(StallTimeout)).Points.Single();
            }

            session.CompletePending(wait: true);
            Assert.NotEmpty(last!.Excluded);
        }

        await using FasterStore again = await Open(options);
        using FasterSession continued = again.ContinueSession("relaxed", out CommitPoint point);
        Assert.Equal(last.SerialNumber, point.SerialNumber);
        Assert.Equal(last.Excluded, point.Excluded);
        for (int i = 0; i < 200; i++)
            Assert.Equal(point.Covers(Keys + i + 1) ? 101 : 1, continued.Get(i));
    }

    [Fact]
    public async Task The_next_commit_takes_operations_that_a_relaxed_one_left_out_although_none_was_issued_between()
    {
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), PendingOrder = PendingOrder.Relaxed };
        await using FasterStore store = await Open(options);
        using FasterSession session = store.StartSession("relaxed");
        for (long key = 0; key < 60_000; key++) session.Put(key, 1);
        for (int i = 0; i < 100; i++)
        {
            var add = new Add(100, null);
            _ = session.Rmw(Key(i), ref add);
        }

        Assert.NotEmpty((await store.CommitAsync().WaitAsync(StallTimeout)).Points.Single().Excluded);
        session.CompletePending(wait: true);
        Commit next = await store.CommitAsync().WaitAsync(StallTimeout);
        Assert.False(next.WasEmpty);
        Assert.Empty(next.Points.Single().Excluded);
    }

    [Fact]
    public async Task A_batch_under_one_number_is_in_a_commit_as_a_whole_or_not_at_all()
    {
        const int Keys = 200;
        long[] keys = [.. Enumerable.Range(0, Keys)];
        await using (FasterStore store = await Open())
        {
            using var stop = new CancellationTokenSource();
            var first = new TaskCompletionSource();
            Task client = Task.Run(() =>
            {
                using FasterSession session = store.StartSession("batches");
                for (long serial = 10; !stop.IsCancellationRequested; serial += 10)
                {
                    var batch = new AddBatch { Keys = keys };
                    session.RmwBatch<UnmanagedKey<long>, Add, AddBatch>(ref batch, serial);
                    Assert.Equal(serial, session.SerialNumber);
                    first.TrySetResult();
                }
            });
            await first.Task.WaitAsync(StallTimeout);
            for (int i = 0; i < 15; i++) _ = await store.CommitAsync((CommitKind)(i % 3)).WaitAsync(StallTimeout);
            await stop.CancelAsync();
            await client;
        }

        await using FasterStore again = await Open();
        using FasterSession continued = again.ContinueSession("batches", out CommitPoint point);
        for (long key = 0; key < Keys; key++) Assert.Equal(point.SerialNumber / 10, continued.Get(key));
    }

    [Fact]
    public async Task Points_come_by_callback_by_await_and_as_a_stream()
    {
        await using FasterStore store = await Open(new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(1), CommitEvery = TimeSpan.FromMilliseconds(20),
        });
        using FasterSession session = store.StartSession("one");
        List<CommitPoint> heard = [];
        session.Committed += point =>
        {
            lock (heard) heard.Add(point);
        };
        IAsyncEnumerable<CommitPoint> stream = session.CommitPointsAsync();
        for (long key = 0; key < 10; key++) session.AddTo(key, 1);
        await foreach (CommitPoint point in stream)
        {
            if (point.SerialNumber == 10) break; // a commit of the store's own came by
        }

        session.AddTo(3, 1);
        Assert.Equal(11, (await session.CommitAsync()).SerialNumber);
        lock (heard) Assert.Equal(11, heard[^1].SerialNumber);
        Assert.Equal(11, session.LastCommit.SerialNumber);
    }

    [Fact]
    public async Task An_exception_of_a_handler_is_a_fault_and_the_others_get_their_points()
    {
        await using FasterStore store = await Open();
        using FasterSession first = store.StartSession("first"), second = store.StartSession("second");
        List<CommitPoint> heard = [];
        first.Committed += static _ => throw new InvalidOperationException("a handler's own");
        second.Committed += heard.Add;
        first.AddTo(1, 1);
        second.AddTo(2, 1);
        Assert.Equal(1, (await first.CommitAsync()).SerialNumber);
        Assert.Equal(1, Assert.Single(heard).SerialNumber);
        Assert.Contains("a handler's own", $"{store.Statistics.LastFault}", StringComparison.Ordinal);
        second.Committed -= heard.Add;
        second.AddTo(2, 1);
        Assert.Equal(2, (await second.CommitAsync()).SerialNumber);
        Assert.Single(heard);
    }

    [Fact]
    public Task A_reader_that_stops_following_the_points_is_dropped_and_may_begin_again() => Guard.RunAsync(async () =>
    {
        var feed = new CommitFeed();
        for (int i = 0; i < 100; i++)
        {
            IAsyncEnumerable<CommitPoint> stream = feed.ReadAsync(default);
            for (int twice = 0; twice < 2; twice++)
            {
                await using IAsyncEnumerator<CommitPoint> points = stream.GetAsyncEnumerator();
                ValueTask<bool> next = points.MoveNextAsync(); // listens from now on
                feed.Publish(new CommitPoint("one", i, 0));
                Assert.True(await next);
                Assert.Equal(i, points.Current.SerialNumber);
                Assert.Equal(1, feed.Listeners);
            }

            Assert.Equal(0, feed.Listeners);
        }

        IAsyncEnumerable<CommitPoint> last = feed.ReadAsync(default);
        feed.Close();
        await foreach (CommitPoint _ in last) Assert.Fail("There is none.");
        await foreach (CommitPoint _ in last) Assert.Fail("There is none.");
    });

    [Fact]
    public async Task Names_are_continued_forgotten_and_refused()
    {
        string id = Guid.NewGuid().ToString("D");
        await using (FasterStore store = await Open())
        {
            using (FasterSession session = store.StartSession(id)) session.AddTo(1, 1);
            using (FasterSession session = store.StartSession("gone")) session.AddTo(2, 1);
            using (FasterSession session = store.StartSession(id))
            {
                Assert.Equal(1, session.SerialNumber);
                Assert.Throws<SessionMisuseException>(() => store.StartSession(id));
                Assert.Throws<SessionMisuseException>(() => store.ForgetSession(id));
            }

            Assert.True(store.ForgetSession("gone"));
            Assert.False(store.ForgetSession("gone"));
            _ = await store.CommitAsync();
        }

        await using FasterStore again = await Open();
        Assert.Equal(id, Assert.Single(again.Recovery!.Sessions).SessionName);
        Assert.Throws<SessionMisuseException>(() => again.ContinueSession("gone", out _));
        using FasterSession continued = again.ContinueSession(id, out CommitPoint point);
        Assert.Equal(1, point.SerialNumber);
        Assert.Throws<ArgumentOutOfRangeException>(() => continued.SetNextSerialNumber(1));
        continued.SetNextSerialNumber(40);
        continued.AddTo(1, 1);
        Assert.Equal(40, continued.SerialNumber);
    }

    [Fact]
    public async Task Without_a_commit_there_is_nothing_to_recover()
    {
        await Assert.ThrowsAsync<StoreOpenException>(async () => await FasterStore.RecoverAsync(
            _folder.Path, new StoreOptions(), Schema, null, CancellationToken.None));
        await using FasterStore inMemory =
            await FasterStore.OpenAsync(null, new StoreOptions(), Schema, CancellationToken.None);
        Assert.Throws<NotSupportedException>(() => { _ = inMemory.CommitAsync(); });
    }

    private Task<FasterStore> Open() => Open(new StoreOptions { MemoryBudget = ByteSize.MiB(1) });

    private async Task<FasterStore> Open(StoreOptions options) =>
        await FasterStore.OpenAsync(
            _folder.Path, options with { CommitOnDispose = false }, Schema, CancellationToken.None);

    private ref struct AddBatch : IBatch<UnmanagedKey<long>, Add>
    {
        public ReadOnlySpan<long> Keys;

        public readonly int Count => Keys.Length;

        public readonly UnmanagedKey<long> GetKey(int index) => Key(Keys[index]);

        public readonly Add GetOperation(int index) => new(1, null);

        public readonly void SetResult(int index, Status status, ref Add operation) { }
    }
}
