using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional;

/// <summary>Transactions of one record on a session that its thread keeps: they end as by every other way.</summary>
public sealed class TransactionHitTests
{
    private const int Keeping = 100; // calls after which a thread keeps a session

    private enum Ending
    {
        Sets,
        Leaves,
        Aborts,
        Deletes,
        Throws,
    }

    [Fact]
    public void Random_transactions_of_one_record_do_the_same_to_a_dictionary()
    {
        const int Keys = 4, Steps = 5_000;
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        var random = new Random(7);
        Dictionary<long, long> model = [];
        (long committed, long aborted) = (0, 0);
        for (int step = 0; step < Steps; step++)
        {
            long key = random.Next(Keys);
            var ending = (Ending)random.Next(5);
            long before = model.GetValueOrDefault(key);
            var one = new OneTransaction { Ending = ending, Value = step };
            if (ending == Ending.Throws) Assert.Throws<InvalidOperationException>(() => Run(session, key, one));
            else Assert.Equal(Status(ending), Run(session, key, one));
            if (ending == Ending.Sets) model[key] = before + step;
            if (ending == Ending.Deletes) model.Remove(key);
            if (ending == Ending.Aborts) aborted++;
            else if (ending != Ending.Throws) committed++;
            Assert.Equal(model.TryGetValue(key, out long value) ? value : null, Read(session, key));
            committed++; // the read
        }

        Assert.True(session.Gate.IsKept);
        TransactionalStatistics statistics = store.Statistics;
        Assert.Equal((model.Count, committed, aborted), (statistics.Records, statistics.Committed, statistics.Aborted));
        Assert.Equal(committed + aborted, session.SerialNumber);
    }

    [Fact]
    public Task A_record_that_others_have_locked_refuses_a_hit_as_often_as_the_option_says() => Guard.RunAsync(() =>
    {
        using TransactionalStore store = TransactionCalls.Open(new() { MaxAttempts = 3 });
        using TransactionalSession session = store.StartSession(), other = store.StartSession();
        _ = session.Put(1, 1);
        Assert.Equal(TransactionStatus.Committed, other.Run([1], [], records =>
        {
            Assert.Equal(TransactionStatus.Conflicted, OnOtherThread(() => RunKept(session)));
            records.Write<long>(0) = 5;
            return true;
        }));
        Assert.Equal(3, store.Statistics.Conflicts);
        Assert.Equal(5, Read(session, 1));
    });

    [Fact]
    public void An_exception_in_a_hit_leaves_the_record_to_others()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession(), other = store.StartSession();
        _ = session.Put(1, 1);
        for (int i = 0; i < Keeping; i++) _ = Run(session, 1, new OneTransaction { Ending = Ending.Leaves });
        Assert.Throws<InvalidOperationException>(() => Run(session, 1, new OneTransaction { Ending = Ending.Throws }));
        Assert.False(store.Core.Epochs.IsEntered);
        Assert.Equal(TransactionStatus.Committed, other.Transfer(1, 2, 1));
        Assert.Equal(0, store.Statistics.Conflicts);
    }

    [Fact]
    public void A_key_that_fails_leaves_the_session_to_its_next_call()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        for (int i = 0; i < Keeping; i++) _ = Run(session, 1, new OneTransaction { Ending = Ending.Sets, Value = 1 });
        var keys = new FailingKeys();
        var transaction = new OneTransaction { Ending = Ending.Leaves };
        Assert.Throws<InvalidOperationException>(() =>
            session.Run<UnmanagedKey<long>, FailingKeys, OneTransaction>(ref keys, ref transaction));
        Assert.False(store.Core.Epochs.IsEntered);
        Assert.Equal(Keeping, Read(session, 1));
    }

    [Fact]
    public void A_batch_of_transactions_of_one_record_keeps_their_order()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        for (int round = 0; round < 3; round++)
        {
            var batch = new OneBatch([.. Enumerable.Range(0, 200).Select(static i => (long)(i % 7))]);
            session.RunBatch<UnmanagedKey<long>, OneKey, OneTransaction, OneBatch>(ref batch, null);
            Assert.Equal(200, batch.Results.Count(static status => status == TransactionStatus.Committed));
            for (long key = 0; key < 7; key++)
            {
                long sum = Enumerable.Range(0, 200).Where(i => i % 7 == key).Sum(static i => (long)i);
                Assert.Equal(sum * (round + 1), Read(session, key));
            }
        }
    }

    private static TransactionStatus Status(Ending ending) =>
        ending == Ending.Aborts ? TransactionStatus.Aborted : TransactionStatus.Committed;

    // As a thread that keeps the session: it makes as many calls as that takes, and then the one that counts.
    private static TransactionStatus RunKept(TransactionalSession session)
    {
        for (int i = 0; i < 8 * Keeping; i++) _ = Run(session, 2, new OneTransaction { Ending = Ending.Leaves });
        Assert.True(session.Gate.IsKept);
        return Run(session, 1, new OneTransaction { Ending = Ending.Sets });
    }

    private static T OnOtherThread<T>(Func<T> work)
    {
        T result = default!;
        var thread = new Thread(() => result = work());
        thread.Start();
        thread.Join();
        return result;
    }

    private static TransactionStatus Run(TransactionalSession session, long key, OneTransaction transaction)
    {
        var keys = new OneKey(key);
        return session.Run<UnmanagedKey<long>, OneKey, OneTransaction>(ref keys, ref transaction);
    }

    private static long? Read(TransactionalSession session, long key)
    {
        var keys = new OneRead(key);
        var read = new OneReading();
        Assert.Equal(
            TransactionStatus.Committed, session.Run<UnmanagedKey<long>, OneRead, OneReading>(ref keys, ref read));
        return read.Exists ? read.Value : null;
    }

    private readonly struct OneKey(long key) : IKeySet<UnmanagedKey<long>>
    {
        public static int FixedCount => 1;

        public static bool IsReadOnly => false;

        public int Count => 1;

        public UnmanagedKey<long> GetKey(int index) => new(key);

        public RecordAccess GetAccess(int index) => RecordAccess.Write;
    }

    private readonly struct FailingKeys : IKeySet<UnmanagedKey<long>>
    {
        public static int FixedCount => 2;

        public static bool IsReadOnly => false;

        public int Count => 2;

        public UnmanagedKey<long> GetKey(int index) =>
            index == 0 ? new(1) : throw new InvalidOperationException("There is no such key.");

        public RecordAccess GetAccess(int index) => RecordAccess.Write;
    }

    private readonly struct OneRead(long key) : IKeySet<UnmanagedKey<long>>
    {
        public static int FixedCount => 1;

        public static bool IsReadOnly => true;

        public int Count => 1;

        public UnmanagedKey<long> GetKey(int index) => new(key);

        public RecordAccess GetAccess(int index) => RecordAccess.Read;
    }

    private struct OneTransaction : ITransaction
    {
        public Ending Ending;
        public long Value;

        public static int ValueSize => 8;

        public static bool IsAwaited => false;

        public readonly bool Run(scoped TransactionRecords records)
        {
            if (Ending is Ending.Sets or Ending.Throws or Ending.Aborts) records.Write<long>(0) += Value;
            if (Ending == Ending.Deletes) records.Delete(0);
            return Ending == Ending.Throws ? throw new InvalidOperationException() : Ending != Ending.Aborts;
        }

        public readonly void Capture() => Assert.Fail("Nobody awaits it.");

        public readonly void Complete(TransactionStatus status, Exception? error) =>
            Assert.Fail("It was not captured.");
    }

    private struct OneReading : ITransaction
    {
        public bool Exists;
        public long Value;

        public static int ValueSize => 8;

        public static bool IsAwaited => false;

        public bool Run(scoped TransactionRecords records)
        {
            (Exists, Value) = (records.Exists(0), records.Read<long>(0));
            return true;
        }

        public readonly void Capture() => Assert.Fail("Nobody awaits it.");

        public readonly void Complete(TransactionStatus status, Exception? error) =>
            Assert.Fail("It was not captured.");
    }

    // Adds each transaction's place in the batch to its record.
    private readonly struct OneBatch(long[] keys) : ITransactionBatch<UnmanagedKey<long>, OneKey, OneTransaction>
    {
        public List<TransactionStatus> Results { get; } = [];

        public int Count => keys.Length;

        public OneKey GetKeys(int index) => new(keys[index]);

        public OneTransaction GetTransaction(int index) => new() { Ending = Ending.Sets, Value = index };

        public void SetResult(int index, TransactionStatus status, ref OneTransaction transaction)
        {
            Assert.Equal(index, Results.Count);
            Results.Add(status);
        }
    }
}
