using Faster.Contracts;
using Faster.Engines;
using Faster.OperationLogs;
using Faster.Operations.Journaling;
using Faster.Tests.Commits;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Operations.Journaling;

/// <summary>
/// What a store with operation logs has acknowledged is there after a kill, and nothing counts twice.
/// </summary>
public sealed class EachOperationTests
{
    [Fact]
    public void Acknowledged_updates_survive_a_kill_without_a_commit()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        for (int key = 0; key < 300; key++) session.Put(key, key);
        for (int key = 0; key < 300; key += 3) session.AddTo(key, 1000);
        for (int key = 0; key < 300; key += 5) Assert.Equal(Status.Ok, session.Remove(key));
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(session.SerialNumber, point.SerialNumber);
        Assert.Empty(point.Excluded);
        for (int key = 0; key < 300; key++)
            Assert.Equal(key % 5 == 0 ? null : key % 3 == 0 ? key + 1000L : key, reader.Get(key));
    }

    [Fact]
    public void Commits_free_the_logs_and_recovery_replays_what_the_last_one_lacks()
    {
        using var folder = new DurableFolder(CounterOperations.Schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(1), Durability = Durability.EachOperation, CommitOnDispose = false,
                OperationLogSize = ByteSize.KiB(64),
            },
        };
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        const int Keys = 50, Operations = 6_000; // ten times the logs
        for (int i = 0; i < Operations; i++) session.AddTo(i % Keys, 1);
        Assert.True(store.Statistics.LastCommit!.Version > 4, "The logs were hardly freed.");
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(Operations, point.SerialNumber);
        for (int key = 0; key < Keys; key++) Assert.Equal(Operations / Keys, reader.Get(key));
    }

    [Fact]
    public async Task Awaited_operations_complete_when_they_are_durable()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        Task[] tasks = [.. Enumerable.Range(0, 1_000).Select(i => session.AddAsync(i % 100, 1).AsTask())];
        await Task.WhenAll(tasks);
        Assert.Equal(0, session.PendingCount);
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(1_000, point.SerialNumber);
        for (int key = 0; key < 100; key++) Assert.Equal(10, reader.Get(key));
    }

    [Fact]
    public async Task Ten_times_what_the_logs_hold_may_be_awaited_and_the_store_closed()
    {
        using var folder = new DurableFolder(CounterOperations.Schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(1), Durability = Durability.EachOperation, CommitOnDispose = false,
                OperationLogSize = ByteSize.KiB(64),
            },
        };
        const int Keys = 100, Each = 3_000;
        long bytes;
        using (FasterStore store = folder.Open())
        {
            Task[] all = [.. Enumerable.Range(0, 3).SelectMany(number =>
            {
                FasterSession session = store.StartSession($"session {number}");
                return Enumerable.Range(0, Each).Select(i => session.AddAsync(i % Keys, 1).AsTask());
            })];
            await store.DisposeAsync();
            await Task.WhenAll(all);
            bytes = store.Statistics.TailAddress;
        }

        // 88 bytes each; an attempt that finds the logs full must not take space in the log of records.
        Assert.InRange(bytes, 1, 3 * Each * 100);
        using FasterStore killed = folder.Open();
        using FasterSession reader = killed.ContinueSession("session 1", out CommitPoint point);
        Assert.Equal((Each, 0), (point.SerialNumber, point.Excluded.Count));
        for (int key = 0; key < Keys; key++) Assert.Equal(3 * Each / Keys, reader.Get(key));
    }

    [Fact]
    public void A_unit_is_there_as_a_whole_or_not_at_all()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        using (CommitUnit unit = session.BeginUnit(5))
        {
            for (int key = 0; key < 20; key++) session.Put(key, 1);
            unit.Complete();
        }

        CommitUnit open = session.BeginUnit(9);
        for (int key = 0; key < 20; key++) session.Put(key, 2);
        using (FasterStore killed = folder.OpenKilled())
        using (FasterSession reader = killed.ContinueSession("one", out CommitPoint point))
        {
            Assert.Equal(5, point.SerialNumber);
            for (int key = 0; key < 20; key++) Assert.Equal(1, reader.Get(key));
        }

        open.Complete();
        using (FasterStore killed = folder.OpenKilled())
        using (FasterSession reader = killed.ContinueSession("one", out CommitPoint point))
        {
            Assert.Equal(9, point.SerialNumber);
            for (int key = 0; key < 20; key++) Assert.Equal(2, reader.Get(key));
        }
    }

    [Fact]
    public void Values_of_all_sizes_survive_and_too_large_ones_are_refused()
    {
        using var folder = new DurableFolder(Faults.BytesOperations.Schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(4), Durability = Durability.EachOperation, CommitOnDispose = false,
                PageSize = ByteSize.KiB(4), OperationLogSize = ByteSize.MiB(1),
            },
        };
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        byte[] ValueOf(int key) => [.. Enumerable.Range(0, key * 997).Select(i => (byte)(i * key))];
        for (int key = 0; key < 40; key++) session.PutBytes(key, ValueOf(key));
        session.Append(7, [1, 2, 3]);
        var refused = Assert.Throws<LimitExceededException>(() => session.PutBytes(99, new byte[300_000]));
        Assert.Contains("OperationLogSize", refused.Message, StringComparison.Ordinal);
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.StartSession();
        for (int key = 0; key < 40; key++)
            Assert.Equal(key == 7 ? [.. ValueOf(7), 1, 2, 3] : ValueOf(key), reader.GetBytes(key));
        Assert.Null(reader.GetBytes(99));
    }

    [Fact]
    public async Task A_store_may_be_opened_with_another_durability_than_before()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        StoreOptions byCommits = folder.Options with { Durability = Durability.Commits };
        for (int life = 0; life < 6; life++)
        {
            bool isEach = life % 2 == 0;
            using FasterStore store = folder.Open(isEach ? null : byCommits);
            using FasterSession session = store.StartSession("one");
            Assert.Equal(life * 10, session.RecoveredPoint.SerialNumber);
            for (int i = 0; i < 10; i++) session.AddTo(i, 1);
            using FasterSession reader = store.StartSession();
            for (int key = 0; key < 10; key++) Assert.Equal(life + 1, reader.Get(key));
            if (!isEach) await store.CommitAsync();
        }
    }

    [Fact]
    public async Task A_forgotten_name_is_used_again_after_a_commit_and_a_kill_leaves_what_it_did_then()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        using FasterStore store = folder.Open();
        using (FasterSession first = store.StartSession("one"))
            for (int key = 0; key < 50; key++) first.Put(key, key);
        Assert.True(store.ForgetSession("one"));
        Assert.Throws<SessionMisuseException>(() => store.StartSession("one")); // a kill would give it 50 operations
        await store.CommitAsync();
        using FasterSession second = store.StartSession("one");
        for (int key = 0; key < 3; key++) second.Put(key, 100);
        Assert.Equal(3, second.SerialNumber);
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(3, point.SerialNumber);
        for (int key = 0; key < 50; key++) Assert.Equal(key < 3 ? 100 : key, reader.Get(key));
    }

    [Fact]
    public async Task A_delete_that_finds_nothing_waits_until_that_is_durable()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession one = store.StartSession("one"), two = store.StartSession();
        int early = 0;
        for (int key = 0; key < 200; key++)
        {
            one.Put(key, 1);
            Task<Status> removed = RemoveAsync(one, key);
            Assert.Equal(Status.NotFound, two.Remove(key));
            ulong hash = Key(key).Hash(store.Core.Tiers[0].Seed);
            if (!store.Core.Journal!.Logs.IsDurable(store.Core.Journal.Stripes.PlaceOf(StripeLocks.Of(hash)))) early++;
            await removed;
        }

        Assert.Equal(0, early);
    }

    [Fact]
    public async Task The_largest_record_finds_space_in_a_log_that_is_hardly_half_full()
    {
        using var folder = new DurableFolder(BytesOperations.Schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(8), Durability = Durability.EachOperation, CommitOnDispose = false,
                OperationLogSize = ByteSize.MiB(1),
            },
        };
        using FasterStore store = folder.Open();
        LogSet logs = store.Core.Journal!.Logs;
        Assert.Equal(1, logs.Count);
        using FasterSession session = store.StartSession("one");
        int key = 0;
        while (logs.Mark()[0].Position < logs.Bytes / 3) session.PutBytes(key++, new byte[10_000]);
        for (int i = 0; i < 3; i++) // a commit frees what the one before it holds
        {
            session.PutBytes(key++, new byte[16]);
            await store.CommitAsync(withIndex: true);
        }

        while (logs.Mark()[0].Position < (logs.Bytes * 3 / 4) + 200) session.PutBytes(key++, new byte[1000]);
        Assert.InRange(logs.Used, logs.Bytes * 3 / 8, logs.Capacity / 2); // so the record's end is in the next lap
        await store.CommitAsync();

        // The next life finds the logs as they are, and nothing that it could commit.
        foreach (FasterStore full in (FasterStore[])[folder.OpenKilled(), store])
        {
            using FasterSession writer = full == store ? session : full.ContinueSession("one", out _);
            full.Core.StallLimit = TimeSpan.FromSeconds(10);
            writer.PutBytes(key, new byte[logs.LargestRecord - 200]);
            using FasterStore killed = full == store ? folder.OpenKilled() : full;
            using FasterSession reader = killed.StartSession();
            Assert.Equal(logs.LargestRecord - 200, reader.GetBytes(key)!.Length);
        }
    }

    [Fact]
    public void A_unit_of_the_next_version_leaves_the_reserve_to_units_that_a_commit_waits_for()
    {
        const int Operations = 8;
        using var folder = new DurableFolder(CounterOperations.Schema)
        {
            Options = new()
            {
                MemoryBudget = ByteSize.MiB(1), Durability = Durability.EachOperation, CommitOnDispose = false,
                OperationLogSize = ByteSize.KiB(64),
            },
        };
        using FasterStore store = folder.Open();
        store.Core.StallLimit = TimeSpan.FromSeconds(5);
        using FasterSession session = store.StartSession("one");
        session.Put(0, 0);
        using var held = new HeldCommit(store.Core, () => store.CommitAsync(CommitKind.Snapshot));

        // The next version fills the logs, and this commit frees nothing: the one before it is the first.
        int key = 0;
        bool isFull = false;
        for (long number = 2; !isFull; number++)
        {
            using CommitUnit unit = session.BeginUnit(number);
            for (int i = 0; i < Operations; i++) isFull |= !session.PutAsync(++key, number).AsTask().IsCompleted;
            if (isFull)
            {
                LogSet logs = store.Core.Journal!.Logs;
                Assert.InRange(logs.Used, logs.Capacity - 100, logs.Bytes);
                held.Dispose();
            }

            unit.Complete();
        }

        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.StartSession();
        for (; key >= 0; key--) Assert.Equal(key == 0 ? 0 : 2 + ((key - 1) / Operations), reader.Get(key));
    }

    [Fact]
    public async Task Periodic_commits_begin_after_the_replay()
    {
        using var folder = new DurableFolder(CounterOperations.Schema);
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        var puts = new List<Task>();
        for (int key = 0; key < 10_000; key++) puts.Add(session.PutAsync(key, key).AsTask());
        await Task.WhenAll(puts);
        var often = new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(2), Durability = Durability.EachOperation, CommitOnDispose = false,
            CommitEvery = TimeSpan.FromMilliseconds(1),
        };
        using FasterStore killed = folder.OpenKilled(often);
        using FasterSession reader = killed.ContinueSession("one", out _);
        Task<CommitPoint> committed = FirstPointAsync(reader);
        reader.Put(1, 2);
        Assert.Equal(10_001, (await committed.WaitAsync(TimeSpan.FromSeconds(30))).SerialNumber);
        Assert.Null(killed.Statistics.LastFault);
    }

    private static Task<Status> RemoveAsync(FasterSession session, long key)
    {
        var operation = new AwaitedDelete();
        Status status = session.Delete(Key(key), ref operation);
        return status == Status.Pending ? operation.Result!.WaitAsync().AsTask() : Task.FromResult(status);
    }

    private static async Task<CommitPoint> FirstPointAsync(FasterSession session)
    {
        await foreach (CommitPoint point in session.CommitPointsAsync())
            if (point.SerialNumber > 10_000) return point;
        throw new InvalidOperationException("The session has ended.");
    }

    private struct AwaitedDelete : IDeleteOperation
    {
        public AwaitableResult<Status>? Result;

        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public readonly bool IsAwaited => true;

        public void Capture() => Result = AwaitableResult<Status>.Rent();

        public readonly void Complete(Status status, Exception? error) => Result!.Complete(status, error);
    }
}
