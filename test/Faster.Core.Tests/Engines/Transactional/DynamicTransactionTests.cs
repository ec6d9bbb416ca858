using System.Buffers.Binary;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional;

/// <summary>Transactions that name their records while they run, and batches.</summary>
public sealed class DynamicTransactionTests
{
    private delegate bool DynamicBody(DynamicRecords records);

    [Fact]
    public void Records_are_read_written_created_and_deleted_as_they_are_named()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        _ = session.Put(1, 2);
        _ = session.Put(2, 50);
        _ = session.Put(3, 5);
        Assert.Equal(TransactionStatus.Committed, Run(session, static records =>
        {
            long next = Read(records, 1) ?? 0;
            Assert.Equal(50, Read(records, next));
            Assert.Null(Read(records, 4));
            Write(records, next, 51);
            Assert.Equal(51, Read(records, next));
            Write(records, 4, 7);
            Write(records, 4, 8);
            records.Find(Bytes(3), RecordAccess.Write).Change = RecordChange.Delete;
            return true;
        }));
        Assert.Equal([2, 51, -1, 8], session.ReadAll(1, 2, 3, 4));
        Assert.Equal(TransactionStatus.Aborted, Run(session, static records =>
        {
            Write(records, 1, 0);
            Write(records, 9, 0);
            return false;
        }));
        Assert.Throws<InvalidOperationException>(() => Run(session, static records =>
        {
            Write(records, 1, 0);
            throw new InvalidOperationException();
        }));
        Assert.Equal([2, -1], session.ReadAll(1, 9));
        Assert.Equal(3, store.Statistics.Records);
        Assert.Equal(TransactionStatus.Committed, Run(session, static records =>
        {
            for (long key = 100; key < 1100; key++) Write(records, key, Read(records, key - 1) + 1 ?? 0);
            return true;
        }));
        Assert.Equal([0, 999], session.ReadAll(100, 1099));
    }

    [Fact]
    public Task Transactions_that_take_records_in_other_orders_all_end() => Guard.RunAsync(() =>
    {
        const int Threads = 4, Keys = 6;
        int rounds = TestBudget.Times(3_000);
        using TransactionalStore store = TransactionCalls.Open();
        using (TransactionalSession session = store.StartSession())
            for (long key = 0; key < Keys; key++) _ = session.Put(key, 100);
        Parallel.For(0, Threads, new ParallelOptions { MaxDegreeOfParallelism = Threads }, thread =>
        {
            using TransactionalSession session = store.StartSession();
            Random random = TestSeed.NewRandom(thread);
            for (int i = 0; i < rounds; i++)
            {
                long from = random.Next(Keys), to = random.Next(Keys);
                bool swallows = i % 3 == 0; // what a user must not do, and can't prevent
                Assert.Equal(TransactionStatus.Committed, Run(session, records =>
                {
                    try
                    {
                        long balance = Read(records, from)!.Value;
                        if (balance == 0) return true;
                        Write(records, from, balance - 1);
                        Write(records, to, Read(records, to)!.Value + 1);
                        return true;
                    }
                    catch (Exception e) when (swallows && e is not NullReferenceException)
                    {
                        return i % 2 == 0;
                    }
                }));
            }
        });
        using TransactionalSession last = store.StartSession();
        Assert.Equal(Keys * 100, last.ReadAll([.. Enumerable.Range(0, Keys).Select(static key => (long)key)]).Sum());
    });

    [Fact]
    public void A_batch_runs_in_order_and_ends_at_an_exception()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        _ = session.Put(0, 10);
        var batch = new Transfers([(0, 1, 4), (1, 2, 3), (0, 2, 7), (2, 3, 3)]);
        RunBatch(session, ref batch);
        Assert.Equal(
            [
                TransactionStatus.Committed, TransactionStatus.Committed, TransactionStatus.Aborted,
                TransactionStatus.Committed,
            ],
            batch.Results);
        Assert.Equal([6, 1, 0, 3], session.ReadAll(0, 1, 2, 3));
        var failing = new Transfers([(0, 1, 1), (0, 1, -1), (0, 1, 1)]);
        Assert.Throws<ArgumentOutOfRangeException>(() => RunBatch(session, ref failing));
        Assert.Equal([5, 2], session.ReadAll(0, 1));
    }

    private static void RunBatch(TransactionalSession session, ref Transfers batch) => session.RunBatch<
        UnmanagedKey<long>, TransactionCalls.MixedKeys<UnmanagedKey<long>>, TransactionCalls.LongTransaction,
        Transfers>(ref batch, null);

    private static TransactionStatus Run(TransactionalSession session, DynamicBody body)
    {
        var transaction = new DynamicTransaction(body);
        return session.RunDynamic(ref transaction);
    }

    private static byte[] Bytes(long number)
    {
        byte[] bytes = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, number);
        return bytes;
    }

    private static long? Read(DynamicRecords records, long key)
    {
        ref TransactionRecord record = ref records.Find(Bytes(key), RecordAccess.Read);
        return record.IsLive ? BinaryPrimitives.ReadInt64LittleEndian(record.Current(records.Buffer)) : null;
    }

    private static void Write(DynamicRecords records, long key, long number)
    {
        ref TransactionRecord record = ref records.Find(Bytes(key), RecordAccess.Write);
        int from = records.Buffer.Written.Length;
        System.Buffers.BuffersExtensions.Write(records.Buffer, Bytes(number));
        record.Set(from, sizeof(long));
    }

    private readonly struct DynamicTransaction(DynamicBody body) : IDynamicTransaction
    {
        public static bool IsAwaited => false;

        public bool Run(DynamicRecords records) => body(records);

        public void Capture() => Assert.Fail("Nobody awaits it.");

        public void Complete(TransactionStatus status, Exception? error) => Assert.Fail("It was not captured.");
    }

    private readonly struct Transfers((long From, long To, long Amount)[] transfers) : ITransactionBatch<
        UnmanagedKey<long>, TransactionCalls.MixedKeys<UnmanagedKey<long>>, TransactionCalls.LongTransaction>
    {
        public List<TransactionStatus> Results { get; } = [];

        public int Count => transfers.Length;

        public TransactionCalls.MixedKeys<UnmanagedKey<long>> GetKeys(int index) =>
            new([new(transfers[index].From), new(transfers[index].To)], []);

        public TransactionCalls.LongTransaction GetTransaction(int index)
        {
            long amount = transfers[index].Amount;
            return new(records =>
            {
                ArgumentOutOfRangeException.ThrowIfNegative(amount);
                records.Write<long>(0) -= amount;
                records.Write<long>(1) += amount;
                return records.Read<long>(0) >= 0;
            });
        }

        public void SetResult(
            int index, TransactionStatus status, ref TransactionCalls.LongTransaction transaction)
        {
            Assert.Equal(index, Results.Count);
            Results.Add(status);
        }
    }
}
