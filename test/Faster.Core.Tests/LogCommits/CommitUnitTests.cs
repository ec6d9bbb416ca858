using Faster.Contracts;
using Faster.Engines;
using Faster.LogSessions;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.LogCommits;

/// <summary>Units: several operations under one number, which a commit has as a whole or not at all.</summary>
public sealed class CommitUnitTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task Operations_of_a_unit_have_one_number() => RunAsync(async store =>
    {
        using FasterSession session = store.StartSession("units");
        session.Put(1, 1);
        using (CommitUnit unit = session.BeginUnit(10))
        {
            session.Put(1, 5);
            session.AddTo(2, 7);
            _ = session.Remove(1);
            Assert.Equal(7, session.Get(2));
            Put(session, null, 4);
            Assert.Equal(1, session.SerialNumber);
            unit.Complete();
        }

        Assert.Equal(10, session.SerialNumber);
        session.AddTo(2, 1);
        Assert.Equal(11, (await session.CommitAsync()).SerialNumber);
        Assert.Equal([null, 8, 9, 9], Enumerable.Range(1, 4).Select(key => session.Get(key)));
    });

    [Fact]
    public Task Operations_that_are_pending_belong_to_their_unit() => RunAsync(async store =>
    {
        using FasterSession session = store.StartSession("units");
        FillBeyondMemory(session);
        long number = session.SerialNumber + 100;
        Task<Commit> commit;
        using (CommitUnit unit = session.BeginUnit(number))
        {
            for (long key = 0; key < 20; key++)
            {
                var add = new Add(100, null);
                _ = session.Rmw(Key(key), ref add);
            }

            Assert.NotEqual(0, session.PendingCount);
            commit = store.CommitAsync();
            unit.Complete();
            Assert.Equal(0, session.PendingCount);
        }

        Assert.Equal(number, (await commit).Points.Single().SerialNumber);
        for (long key = 0; key < 20; key++) Assert.Equal(101, session.Get(key));
    });

    [Fact]
    public Task Misuse_is_refused_by_its_type_and_harms_nothing() => RunAsync(store =>
    {
        using FasterSession session = store.StartSession("units");
        session.Put(1, 1);
        Assert.Throws<ArgumentOutOfRangeException>(() => Begin(session, 1));
        using CommitUnit unit = session.BeginUnit(5);
        session.Put(1, 2);
        Assert.Throws<SessionMisuseException>(() => Begin(session, 6));
        Assert.Throws<SessionMisuseException>(() => Put(session, 7, 2));
        Assert.Throws<SessionMisuseException>(() => session.SetNextSerialNumber(9));
        Assert.Throws<SessionMisuseException>(() => { _ = session.CommitAsync(); });
        Assert.Throws<SessionMisuseException>(session.Dispose);
        Assert.IsType<SessionMisuseException>(Elsewhere(() => session.Put(1, 3)));
        Assert.IsType<SessionMisuseException>(Elsewhere(() => Begin(session, 8)));
        session.Put(2, 2);
        unit.Complete();
        unit.Dispose();
        Assert.Equal([2, 2], [session.Get(1), session.Get(2)]);
        Assert.Equal(7, session.SerialNumber); // the reads, too
        CompleteAgain(unit);
        return Task.CompletedTask;

        static void CompleteAgain(CommitUnit unit)
        {
            try
            {
                unit.Complete();
            }
            catch (SessionMisuseException)
            {
                return;
            }

            Assert.Fail("A unit was completed twice.");
        }
    });

    [Fact]
    public Task No_unit_begins_inside_another_call() => RunAsync(store =>
    {
        using FasterSession session = store.StartSession("units");
        Exception? within = null, beside = null;
        var add = new Add(1, null, () =>
        {
            within ??= Record.Exception(() => Begin(session, 5));
            beside ??= Elsewhere(() => Begin(session, 5));
        });
        _ = session.Rmw(Key(1), ref add);
        Assert.IsType<SessionMisuseException>(within);
        Assert.IsType<SessionMisuseException>(beside);
        return Task.CompletedTask;
    });

    [Fact]
    public Task A_unit_that_has_written_nothing_leaves_no_trace() => RunAsync(async store =>
    {
        using FasterSession session = store.StartSession("units");
        session.Put(1, 1);
        using (session.BeginUnit(5)) Assert.Equal(1, session.Get(1));
        Assert.Throws<InvalidOperationException>(() =>
        {
            using CommitUnit unit = session.BeginUnit(5);
            session.AddTo(2, -1);
            unit.Complete();
        });
        Assert.Throws<InvalidOperationException>(() => PutThrowing(session, 5, after: 0));
        Assert.Equal(1, session.SerialNumber);
        session.Put(2, 2);
        Assert.Equal(2, (await session.CommitAsync()).SerialNumber);
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_unit_that_ends_half_way_is_in_no_commit(bool isBatch)
    {
        await using (FasterStore store = await OpenAsync(new StoreOptions()))
        {
            FasterSession session = store.StartSession("units"), other = store.StartSession("other");
            session.Put(1, 1);
            other.Put(2, 1);
            Assert.Equal(1, (await session.CommitAsync()).SerialNumber);
            Assert.Throws<InvalidOperationException>(() =>
            {
                if (isBatch) PutThrowing(session, 5, after: 40);
                else FailHalfWay(session, 5);
            });
            AssertFailed(Record.Exception(() => session.Get(1)));
            AssertFailed(Record.Exception(() => Begin(session, 6)));
            AssertFailed(await Record.ExceptionAsync(() => session.CommitAsync()));
            AssertFailed(await Record.ExceptionAsync(() => other.CommitAsync()));
            AssertFailed(await Record.ExceptionAsync(() => store.CheckpointIndexAsync()));
            AssertFailed(await Record.ExceptionAsync(() => store.CommitAsync(CommitKind.Snapshot)));
            Assert.Equal(1, session.SerialNumber);
            Assert.Equal(1, other.Get(2));
            AssertFailed(Assert.Throws<StorageException>(() => other.Put(2, 2)).InnerException!.InnerException);
            session.Dispose();
            Assert.Throws<SessionMisuseException>(() => session.Get(1));
            var closing = await Assert.ThrowsAsync<StorageException>(async () => await store.DisposeAsync());
            Assert.Contains("The unit under serial number 5 of session 'units' has failed", closing.Message);
        }

        await using FasterStore again = await OpenAsync(new StoreOptions { CommitOnDispose = false });
        using FasterSession continued = again.ContinueSession("units", out CommitPoint point);
        Assert.Equal(1, point.SerialNumber);
        Assert.Equal(1, continued.Get(1));
        for (long key = 2; key < 50; key++) Assert.Equal(key == 2 ? 1 : null, continued.Get(key));
        using (CommitUnit unit = continued.BeginUnit(100))
        {
            continued.Put(3, 3);
            unit.Complete();
        }

        Assert.Equal(100, (await continued.CommitAsync()).SerialNumber);
        Assert.Equal(3, continued.Get(3));
    }

    [Fact]
    public async Task Closing_commits_nothing_of_it_although_no_commit_was_requested()
    {
        FasterStore store = await OpenAsync(new StoreOptions());
        FasterSession session = store.StartSession("units");
        Assert.Throws<InvalidOperationException>(() => FailHalfWay(session, 5));
        var closing = await Assert.ThrowsAsync<StorageException>(async () => await store.DisposeAsync());
        AssertFailed(closing.InnerException);
        await Assert.ThrowsAsync<StoreOpenException>(async () => await FasterStore.RecoverAsync(
            _folder.Path, new StoreOptions(), Schema, null, CancellationToken.None));
    }

    [Fact]
    public async Task A_periodic_commit_says_so_too()
    {
        FasterStore store = await OpenAsync(new StoreOptions
        {
            CommitEvery = TimeSpan.FromMilliseconds(5), CommitOnDispose = false,
        });
        var heard = new TaskCompletionSource<Exception>();
        store.FaultOccurred += (_, fault) => heard.TrySetResult(fault.Fault);
        FasterSession session = store.StartSession("units");
        Assert.Throws<InvalidOperationException>(() => FailHalfWay(session, 5));
        AssertFailed(await heard.Task.WaitAsync(TestBudget.StallTimeout));
        await store.DisposeAsync();
    }

    [Fact]
    public Task A_pending_operation_that_fails_fails_its_unit() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        long number = store.Session.SerialNumber + 1;
        store.Break(FaultTarget.Read);
        CommitUnit reads = store.Session.BeginUnit(number);
        var read = new Read(null);
        Assert.Equal(Status.Pending, store.Session.Read(Key(1), ref read));
        Assert.IsType<StorageException>(Complete(reads)); // it has written nothing
        CommitUnit unit = store.Session.BeginUnit(number);
        store.Session.Put(FaultedStore.Keys, 1);
        ValueTask<Status> added = store.Session.AddAsync(1, 1);
        var failure = Assert.IsType<FasterException>(Complete(unit));
        AssertFailed(failure);
        Assert.IsType<StorageException>(failure.InnerException);
        Assert.IsType<StorageException>(added.AsTask().Exception!.InnerException);
        AssertFailed(Record.Exception(() => store.Session.Put(1, 1)));
    });

    [Fact]
    public Task Awaited_operations_and_their_unit_wait_for_space_without_a_thread() => Guard.RunAsync(async () =>
    {
        var device = new HeldWrites(new Faster.Devices.MemoryDevice());
        using var store = new FaultedStore(inner: device);
        FasterSession session = store.Session;
        var puts = new List<Task>();
        Task done;
        using (device.Hold())
        {
            (done, puts) = BeginWithoutSpace(session);
            Assert.False(done.IsCompleted);
            Assert.IsType<SessionMisuseException>(Record.Exception(() => session.Get(1)));
            Assert.IsType<SessionMisuseException>(Elsewhere(() => session.Put(1, 1)));
        }

        await done;
        await Task.WhenAll(puts);
        Assert.Equal(5, session.SerialNumber);
        for (int key = 0; key < puts.Count; key += 1000) Assert.Equal(key, await session.GetAsync(key));
    });

    // Issues operations until some lack space.
    private static (Task Done, List<Task> Puts) BeginWithoutSpace(FasterSession session)
    {
        using CommitUnit unit = session.BeginUnit(5);
        var puts = new List<Task>();
        for (int key = 0, waiting = 0; waiting < 100; key++)
        {
            Task put = session.PutAsync(key, key).AsTask();
            if (!put.IsCompleted) waiting++;
            puts.Add(put);
        }

        return (unit.CompleteAsync().AsTask(), puts);
    }

    private static void FailHalfWay(HashSession session, long number)
    {
        using CommitUnit unit = session.BeginUnit(number);
        session.Put(1, 2);
        session.Put(3, 2);
        session.AddTo(4, -1);
        unit.Complete();
    }

    private static void Begin(HashSession session, long number)
    {
        using CommitUnit unit = session.BeginUnit(number);
        unit.Complete();
    }

    private static Exception? Complete(CommitUnit unit)
    {
        try
        {
            unit.Complete();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
        finally
        {
            unit.Dispose();
        }
    }

    // A batch of nine under the keys 3 and 4.
    private static void Put(HashSession session, long? number, long value)
    {
        var batch = new AddBatch { Keys = [3, 4], Amount = value + 5 };
        session.RmwBatch<UnmanagedKey<long>, Add, AddBatch>(ref batch, number);
    }

    // A batch whose operations throw after so many.
    private static void PutThrowing(HashSession session, long number, int after)
    {
        var batch = new AddBatch { Keys = [.. Enumerable.Range(3, 60)], Amount = 1, ThrowsAfter = after };
        session.RmwBatch<UnmanagedKey<long>, Add, AddBatch>(ref batch, number);
    }

    private static void FillBeyondMemory(HashSession session)
    {
        for (long key = 0; key < 100_000; key++) session.Put(key, 1);
    }

    private static void AssertFailed(Exception? error) =>
        Assert.Equal(ErrorReason.UnitFailed, Assert.IsType<FasterException>(error).Reason);

    private static Exception? Elsewhere(Action action) =>
        Task.Factory.StartNew(() => Record.Exception(action), TaskCreationOptions.LongRunning).GetAwaiter().GetResult();

    private Task RunAsync(Func<FasterStore, Task> test) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await OpenAsync(new StoreOptions { CommitOnDispose = false });
        await test(store);
    });

    private async Task<FasterStore> OpenAsync(StoreOptions options) => await FasterStore.OpenAsync(
        _folder.Path, options with { MemoryBudget = ByteSize.MiB(1) }, Schema, CancellationToken.None);

    private ref struct AddBatch : IBatch<UnmanagedKey<long>, Add>
    {
        public ReadOnlySpan<long> Keys;
        public long Amount;
        public int? ThrowsAfter;

        public readonly int Count => Keys.Length;

        public readonly UnmanagedKey<long> GetKey(int index) => Key(Keys[index]);

        public readonly Add GetOperation(int index) => new(index >= ThrowsAfter ? -1 : Amount, null);

        public readonly void SetResult(int index, Status status, ref Add operation) { }
    }
}
