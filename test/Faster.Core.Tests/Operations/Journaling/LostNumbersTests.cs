using Faster.Contracts;
using Faster.Engines;
using Faster.Index.Entries;
using Faster.LogSessions;
using Faster.OperationLogs;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;
using Outcome = Faster.Contracts.Outcome;

namespace Faster.Tests.Operations.Journaling;

/// <summary>
/// Where each operation is durable, a recovery lists the numbers whose operations are lost before the last one that is
/// there, whichever way they were issued.
/// </summary>
public sealed class LostNumbersTests
{
    private static StoreOptions TwoLogs => new()
    {
        MemoryBudget = ByteSize.MiB(4), Durability = Durability.EachOperation, CommitOnDispose = false,
        OperationLogSize = ByteSize.MiB(2),
    };

    [Fact]
    public void A_lost_operation_of_a_batch_is_excluded_if_a_later_one_is_there()
    {
        using var folder = new DurableFolder(CounterOperations.Schema) { Options = TwoLogs };
        using FasterStore store = folder.Open();
        Assert.Equal(2, store.Core.Journal!.Logs.Count);
        using FasterSession session = store.StartSession("one");
        using (var owner = new OtherOwner(store.Core.Journal.Logs))
        {
            var batch = new PutBatch(2, second: owner.Own);
            session.UpsertBatch<UnmanagedKey<long>, Upsert, PutBatch>(ref batch);
        }

        using FasterStore killed = folder.OpenKilled(damage: LoseFirstLog);
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(2, point.SerialNumber);
        Assert.Equal([1], point.Excluded);
        Assert.Null(reader.Get(0));
        Assert.Equal(1, reader.Get(1));
    }

    [Fact]
    public async Task An_awaited_unit_is_open_until_it_is_durable()
    {
        using var folder = new DurableFolder(CounterOperations.Schema) { Options = TwoLogs };
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        int seen = 0;
        for (int number = 1; number <= 200; number++)
        {
            CommitUnit unit = session.BeginUnit(number);
            session.Put(0, number);
            Task whole = unit.CompleteAsync().AsTask();
            long oldest = session.Identity!.OldestOpen(number + 1);
            if (!whole.IsCompleted)
            {
                Assert.Equal(number, oldest);
                seen++;
            }

            await whole;
            Assert.Equal(number + 1, session.Identity.OldestOpen(number + 1));
        }

        Assert.True(seen > 0, "No unit was awaited: the test shows nothing.");
    }

    [Fact]
    public unsafe void The_number_of_a_canceled_change_is_not_durable()
    {
        using var folder = new DurableFolder(CounterOperations.Schema) { Options = TwoLogs };
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        session.Put(0, 0);
        JournalEntry entry = session.Attempt.Entry!;
        long key = 1;
        ulong hash = Key(1).Hash(store.Core.Tiers[0].Seed);
        Assert.Equal(Outcome.Ok, entry.TryBegin(hash, session.Identity!, 2, isInUnit: false, mayUseReserve: false));
        entry.SetVersion(store.Core.Commits.Current.OperationVersion);
        var bytes = new ReadOnlySpan<byte>(&key, sizeof(long));
        Assert.Equal(Outcome.Ok, entry.Publish(LogRecordKind.Put, bytes, bytes, long.MaxValue));
        Assert.Equal(Outcome.IndexResizing, entry.End(Outcome.IndexResizing));
        store.Core.Journal!.Logs.Wait(store.Core.Journal.Logs.TakeTicket());
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(1, point.SerialNumber);
        Assert.Null(reader.Get(1));
    }

    [Fact]
    public async Task Numbers_that_were_jumped_over_are_not_listed_as_lost()
    {
        const int Operations = 20;
        const long Jump = 1_000_000;
        using var folder = new DurableFolder(CounterOperations.Schema) { Options = TwoLogs };
        using FasterStore store = folder.Open();
        using FasterSession session = store.StartSession("one");
        var all = new List<Task>();
        for (int i = 1; i <= Operations; i++)
        {
            session.SetNextSerialNumber(i * Jump);
            all.Add(session.PutAsync(i, i).AsTask());
        }

        await Task.WhenAll(all);
        using FasterStore killed = folder.OpenKilled();
        using FasterSession reader = killed.ContinueSession("one", out CommitPoint point);
        Assert.Equal(Operations * Jump, point.SerialNumber);
        Assert.Empty(point.Excluded);
        for (int i = 1; i <= Operations; i++) Assert.Equal(i, reader.Get(i));
    }

    // Its sectors were not written when the power failed.
    private static void LoseFirstLog(string folder)
    {
        using FileStream log = File.OpenWrite(Assert.Single(Directory.GetFiles(folder, "operations-*")));
        log.Write(new byte[1 << 20]);
    }

    // Another thread that appends to the first log.
    private sealed class OtherOwner(LogSet logs) : IDisposable
    {
        private readonly ManualResetEventSlim _owns = new(), _ends = new();
        private Task _thread = Task.CompletedTask;

        public void Own()
        {
            _thread = Task.Run(() =>
            {
                int first = 0;
                Assert.Equal(LogSpace.Taken, logs.TryReserve(ref first, 64, false, out LogReservation space));
                Assert.Equal(0, space.Log);
                _owns.Set();
                _ends.Wait();
                space.Release();
            });
            _owns.Wait();
        }

        public void Dispose()
        {
            _ends.Set();
            _thread.Wait();
            _owns.Dispose();
            _ends.Dispose();
        }
    }

    private readonly struct PutBatch(int count, Action second)
        : IBatch<UnmanagedKey<long>, Upsert>
    {
        public int Count => count;

        public UnmanagedKey<long> GetKey(int index) => Key(index);

        public Upsert GetOperation(int index)
        {
            if (index == 1) second();
            return new Upsert(index);
        }

        public void SetResult(int index, Status status, ref Upsert operation) { }
    }
}
