using System.Globalization;
using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.Transactional;
using Faster.OperationLogs;
using Faster.Testing;
using Faster.Tests.Commits;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional.Redo;

/// <summary>What a transactional store with a redo log has acknowledged is there after a kill, as a whole.</summary>
public sealed class RedoLogTests : IDisposable
{
    private const int Sessions = 3;

    private readonly LoggedFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Acknowledged_transactions_and_operations_survive_a_kill_without_a_commit()
    {
        using TransactionalStore store = _folder.Open();
        using TransactionalSession session = store.StartSession("one");
        for (int key = 0; key < 20; key++) _ = session.Put(key, 100);
        Assert.Equal(TransactionStatus.Committed, session.Transfer(1, 2, 30));
        Assert.Equal(Status.Ok, session.Remove(3));
        _ = session.Run([4, 50], [5], static records =>
        {
            records.Delete(0);
            records.Write<long>(1) = records.Read<long>(2) + 1;
            return true;
        });
        using TransactionalStore killed = _folder.OpenKilled();
        using TransactionalSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(session.SerialNumber, point.SerialNumber);
        Assert.Equal(new long?[] { 70, 130, null, null, 100, 101 },
            new long[] { 1, 2, 3, 4, 5, 50 }.Select(key => reader.Get(key)));
        Assert.Equal(19, killed.Statistics.Records);
    }

    [Fact]
    public void Values_of_variable_length_grow_shrink_and_go()
    {
        using TransactionalStore store = _folder.Open(schema: TransactionCalls.BytesSchema);
        using TransactionalSession session = store.StartSession("one");
        foreach (int length in new[] { 10, 1_000, 3, 0, 77 })
        {
            _ = session.RunBytes([1, 2], records =>
            {
                Set(records, 0, new byte[length]);
                if (length == 3) records.Delete(1);
                else Set(records, 1, [(byte)length]);
                return true;
            });
            using TransactionalStore killed = _folder.OpenKilled(schema: TransactionCalls.BytesSchema);
            using TransactionalSession reader = killed.StartSession();
            _ = reader.RunBytes([1, 2], records =>
            {
                Assert.Equal(length, records.Bytes(0).Length);
                Assert.Equal(length != 3, records.Exists(1));
                return false;
            });
        }
    }

    [Theory]
    [InlineData(CommitAlgorithm.Cpr)]
    [InlineData(CommitAlgorithm.Calc)]
    public Task Kills_beside_commits_that_free_the_log_leave_what_was_acknowledged(CommitAlgorithm algorithm) =>
        Guard.RunAsync(() => LiveAsync(LoggedFolder.Each with { CommitAlgorithm = algorithm }));

    [Fact]
    public void A_transaction_without_effect_leaves_its_number_if_its_session_is_continued()
    {
        using TransactionalStore store = _folder.Open();
        using TransactionalSession session = store.StartSession("one");
        _ = session.Put(1, 10);
        Assert.Equal(TransactionStatus.Aborted, session.Transfer(1, 2, 30));
        AssertContinuesAt(2);
        Assert.Equal([10, -1], session.ReadAll(1, 2));
        AssertContinuesAt(3);
        Assert.Equal(Status.NotFound, session.Remove(7));
        AssertContinuesAt(4);
        using (CommitUnit unit = session.BeginUnit(9))
        {
            Assert.Equal(Status.NotFound, session.Remove(7));
            unit.Complete();
        }

        AssertContinuesAt(9);
        _ = session.Put(1, 11);
        AssertContinuesAt(10);
    }

    [Fact]
    public void A_transaction_larger_than_a_quarter_of_the_log_is_refused_by_name_and_changes_nothing()
    {
        using TransactionalStore store = _folder.Open(schema: TransactionCalls.BytesSchema);
        using TransactionalSession session = store.StartSession("one");
        var refused = Assert.Throws<LimitExceededException>(() => session.RunBytes([1, 2], static records =>
        {
            Set(records, 0, new byte[8 << 10]);
            Set(records, 1, new byte[8 << 10]);
            return true;
        }));
        Assert.Contains("TransactionalOptions.OperationLogSize", refused.Message, StringComparison.Ordinal);
        Assert.Equal((0, 0), (session.SerialNumber, store.Statistics.Records));
        Assert.Equal(TransactionStatus.Committed, session.RunBytes([1], static records =>
        {
            Set(records, 0, new byte[8 << 10]);
            return true;
        }));
    }

    [Fact]
    public Task A_unit_holds_up_what_may_be_built_on_it_and_is_there_as_a_whole_or_not_at_all() =>
        Guard.RunAsync(() => Task.Run(() =>
        {
            using TransactionalStore store = _folder.Open();
            using TransactionalSession one = store.StartSession("one"), other = store.StartSession("other");
            _ = one.Put(1, 100);
            CommitUnit unit = one.BeginUnit(5);
            _ = one.Transfer(1, 2, 10);
            Task<TransactionStatus> built = Task.Run(() => other.Transfer(2, 3, 10));
            SpinWait.SpinUntil(() => other.SerialNumber == 1); // it is done, and not acknowledged
            AssertAfterKill([100, -1, -1], oneAt: 1, otherAt: 0);
            Assert.False(built.IsCompleted);
            _ = one.Transfer(1, 2, 20);
            unit.Complete();
            unit.Dispose();
            Assert.Equal(TransactionStatus.Committed, built.GetAwaiter().GetResult());
            AssertAfterKill([70, 20, 10], oneAt: 5, otherAt: 1);
        }));

    [Fact]
    public void An_acknowledgment_that_a_unit_of_the_same_thread_holds_up_ends_by_the_stall_limit()
    {
        using TransactionalStore store = _folder.Open();
        using TransactionalSession one = store.StartSession("one"), other = store.StartSession("other");
        store.Core.StallLimit = TimeSpan.FromMilliseconds(50);
        using CommitUnit unit = one.BeginUnit(5);
        _ = one.Put(1, 100);
        var refused = Assert.Throws<FasterException>(() => other.Put(2, 1));
        Assert.Equal(ErrorReason.Stalled, refused.Reason);
        Assert.Equal(1, other.SerialNumber); // it is carried out
        unit.Complete();
    }

    [Fact]
    public void A_later_life_counts_although_one_before_has_left_a_unit_that_is_not_whole()
    {
        string copy;
        using (TransactionalStore store = _folder.Open())
        using (TransactionalSession one = store.StartSession("one"))
        {
            _ = one.Put(1, 100);
            using CommitUnit unit = one.BeginUnit(5);
            _ = one.Transfer(1, 2, 10);
            copy = _folder.Copy();
            unit.Complete();
        }

        for (int life = 0; life < 3; life++)
        {
            using TransactionalStore next = LoggedFolder.OpenAt(copy);
            using TransactionalSession session = next.StartSession("one");
            Assert.Equal(1 + (2 * life), session.SerialNumber); // a read has a number, too
            Assert.Equal(100 - life, session.Get(1));
            _ = session.Transfer(1, 3, 1);
        }
    }

    [Fact]
    public void Operations_of_a_unit_wait_once_at_its_end()
    {
        using TransactionalStore store = _folder.Open();
        using TransactionalSession session = store.StartSession("one");
        long syncs = store.Statistics.OperationLogSyncs;
        using (CommitUnit unit = session.BeginUnit(1_000))
        {
            for (int i = 0; i < 50; i++) _ = session.Put(i, 7);
            unit.Complete();
        }

        Assert.InRange(store.Statistics.OperationLogSyncs - syncs, 1, 10);
        AssertContinuesAt(1_000);
    }

    [Fact]
    public Task A_unit_of_the_next_version_leaves_the_reserve_to_units_that_a_commit_waits_for() => Guard.RunAsync(() =>
    {
        using TransactionalStore store = _folder.Open(LoggedFolder.Each with { Durability = Durability.Periodic });
        using TransactionalSession session = store.StartSession("one");
        _ = session.Put(0, 0);
        using var held = new HeldCommit(store.Core, () => store.CommitAsync());
        LogSet logs = store.Redo!.Logs;
        bool isReleased = false;
        var filler = new Thread(() =>
        {
            for (long number = 2; !Volatile.Read(ref isReleased); number++)
            {
                using CommitUnit unit = session.BeginUnit(number);
                for (int i = 0; i < 8; i++) _ = session.Put(i, number);
                unit.Complete();
            }
        });
        filler.Start();
        SpinWait.SpinUntil(() => filler.ThreadState.HasFlag(ThreadState.WaitSleepJoin) && logs.Used > logs.Bytes / 2);
        Assert.InRange(logs.Used, 1, logs.Capacity);
        Volatile.Write(ref isReleased, true);
        held.Dispose();
        filler.Join();
    });

    [Fact]
    public Task Awaited_transactions_share_syncs_and_complete_when_they_are_durable() => Guard.RunAsync(async () =>
    {
        const int Count = 1_000;
        using TransactionalStore store = _folder.Open();
        using TransactionalSession session = store.StartSession("one");
        long syncs = store.Statistics.OperationLogSyncs;
        Task<TransactionStatus>[] all = [.. Enumerable.Range(0, Count).Select(i =>
        {
            var ended = new TaskCompletionSource<TransactionStatus>();
            _ = session.Run<UnmanagedKey<long>, AwaitedTransaction>([new(1)], [], new AwaitedTransaction(i, ended));
            return ended.Task; // each publishes, so none is durable at once
        })];
        Assert.All(await Task.WhenAll(all), static status => Assert.Equal(TransactionStatus.Committed, status));
        Assert.InRange(store.Statistics.OperationLogSyncs - syncs, 1, Count / 2);
        using TransactionalStore killed = _folder.OpenKilled();
        using TransactionalSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(Count, point.SerialNumber);
        Assert.Equal(Count - 1, reader.Get(1));
    });

    [Fact]
    public Task Periodic_syncs_make_durable_what_did_not_wait() => Guard.RunAsync(async () =>
    {
        TransactionalOptions periodic = LoggedFolder.Each with { Durability = Durability.Periodic };
        using TransactionalStore store = _folder.Open(periodic);
        using TransactionalSession session = store.StartSession("0");
        for (int i = 0; i < 5_000; i++) NumberedSteps.Run(session, 0);
        while (!store.Redo!.Logs.IsAllDurable) await Task.Yield();
        using TransactionalStore killed = _folder.OpenKilled(periodic);
        CommitPoint point = Assert.Single(killed.Recovery!.Sessions);
        Assert.InRange(point.SerialNumber, 5_000 - 20, 5_000); // those that aborted last have left nothing
        await new NumberedSteps.Model().CheckAsync(killed, [point]);
    });

    [Fact]
    public async Task Options_that_cannot_be_honored_are_refused_by_name()
    {
        TransactionalOptions sized = LoggedFolder.Each with { Durability = Durability.Commits };
        StoreOpenException refused = Assert.Throws<StoreOpenException>(() => _folder.Open(sized));
        Assert.StartsWith(
            "TransactionalOptions.OperationLogSize can't be honored", refused.Message, StringComparison.Ordinal);
        foreach (ByteSize size in new[] { ByteSize.KiB(63), ByteSize.MiB(3) })
        {
            var outside = Assert.Throws<ArgumentOutOfRangeException>(
                () => _folder.Open(LoggedFolder.Each with { OperationLogSize = size }));
            Assert.Equal(nameof(TransactionalOptions.OperationLogSize), outside.ParamName);
        }

        refused = await Assert.ThrowsAsync<StoreOpenException>(() => TransactionalStore.OpenAsync(
            null, LoggedFolder.Each, TransactionCalls.Schema, default).AsTask());
        Assert.StartsWith("TransactionalOptions.Durability is set", refused.Message, StringComparison.Ordinal);
        var ofFaster = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => FasterStore.OpenAsync(
            _folder.StorePath, new StoreOptions { Durability = Durability.Periodic }, TransactionCalls.Schema, default)
            .AsTask());
        Assert.StartsWith("StoreOptions.Durability is Periodic", ofFaster.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_options_may_change_between_two_lives()
    {
        var model = new NumberedSteps.Model();
        TransactionalOptions[] lives =
        [
            LoggedFolder.Each, LoggedFolder.Each with { OperationLogSize = ByteSize.KiB(256) },
            LoggedFolder.Each with { Durability = Durability.Commits, OperationLogSize = default },
            LoggedFolder.Each with { CommitAlgorithm = CommitAlgorithm.Calc },
        ];
        foreach (TransactionalOptions options in lives)
        {
            using TransactionalStore store = _folder.Open(options);
            using TransactionalSession session = store.StartSession("0");
            if (session.SerialNumber != 0)
                await model.CheckAsync(store, [new CommitPoint("0", session.SerialNumber, 0)]);
            for (int i = 0; i < 300; i++) NumberedSteps.Run(session, 0);
            if (options.Durability == Durability.Commits) _ = await store.CommitAsync();
        }

        using TransactionalStore last = _folder.Open();
        Assert.Equal(300 * lives.Length, Assert.Single(last.Recovery!.Sessions).SerialNumber);
        await model.CheckAsync(last, last.Recovery.Sessions);
    }

    private async Task LiveAsync(TransactionalOptions options)
    {
        var model = new NumberedSteps.Model();
        int kills = TestBudget.Times(4);
        using TransactionalStore store = _folder.Open(options);
        using var stop = new CancellationTokenSource();
        using var idle = new ReaderWriterLockSlim(); // between two operations: a copy meets commits alone
        long[] acknowledged = new long[Sessions];
        Task[] clients = [.. Enumerable.Range(0, Sessions).Select(number => Task.Run(() =>
        {
            using TransactionalSession session = store.StartSession(number.ToString(CultureInfo.InvariantCulture));
            while (!stop.IsCancellationRequested)
            {
                idle.EnterReadLock();
                try
                {
                    NumberedSteps.Run(session, number);
                    acknowledged[number] = session.SerialNumber;
                }
                finally
                {
                    idle.ExitReadLock();
                }
            }
        }))];
        try
        {
            for (int kill = 0; kill < kills; kill++)
            {
                long version = store.Statistics.LastCommit!.Version;
                while (store.Statistics.LastCommit!.Version < version + 2 && !clients.Any(static one => one.IsFaulted))
                    await Task.Yield();
                string copy;
                long[] last;
                idle.EnterWriteLock();
                try
                {
                    (copy, last) = (_folder.Copy(), [.. acknowledged]);
                }
                finally
                {
                    idle.ExitWriteLock();
                }

                using TransactionalStore killed = LoggedFolder.OpenAt(copy, options);
                IReadOnlyList<CommitPoint> points = killed.Recovery!.Sessions;
                for (int number = 0; number < Sessions; number++)
                {
                    string name = number.ToString(CultureInfo.InvariantCulture);
                    CommitPoint? point = points.SingleOrDefault(point => point.SessionName == name);
                    Assert.Equal(last[number], point?.SerialNumber ?? 0);
                }

                await model.CheckAsync(killed, points);
            }
        }
        finally
        {
            await stop.CancelAsync();
            await Task.WhenAll(clients);
        }
    }

    /// <summary>Sets a value, and is awaited.</summary>
    private readonly struct AwaitedTransaction(long value, TaskCompletionSource<TransactionStatus> ended) : ITransaction
    {
        public static int ValueSize => 8;

        public static bool IsAwaited => true;

        public bool Run(scoped TransactionRecords records)
        {
            records.Write<long>(0) = value;
            return true;
        }

        public void Capture()
        {
        }

        public void Complete(TransactionStatus status, Exception? error)
        {
            if (error is null) ended.SetResult(status);
            else ended.SetException(error);
        }
    }

    private static void Set(scoped TransactionRecords records, int key, byte[] value)
    {
        int from = records.Buffer.Written.Length;
        value.CopyTo(records.Buffer.GetSpan(value.Length));
        records.Buffer.Advance(value.Length);
        records.EndValue(key, from);
    }

    private void AssertContinuesAt(long serial)
    {
        using TransactionalStore killed = _folder.OpenKilled();
        using TransactionalSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(serial, point.SerialNumber);
    }

    private void AssertAfterKill(long[] values, long oneAt, long otherAt)
    {
        using TransactionalStore killed = _folder.OpenKilled();
        using TransactionalSession one = killed.StartSession("one"), other = killed.StartSession("other");
        Assert.Equal((oneAt, otherAt), (one.SerialNumber, other.SerialNumber));
        Assert.Equal(values, one.ReadAll(1, 2, 3));
    }
}
