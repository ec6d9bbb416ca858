using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tests.Operations;

namespace Faster.Tests.Engines.Transactional;

/// <summary>The body of a transaction: its first keys are those that it writes.</summary>
internal delegate bool TransactionBody(scoped TransactionRecords records);

/// <summary>Transactions and operations on a store, as emitted code would run them.</summary>
internal static class TransactionCalls
{
    /// <summary>Longs by longs.</summary>
    public static readonly RecordSchema Schema = new(8, 8, 8, "key", "number");

    /// <summary>Bytes by longs.</summary>
    public static readonly RecordSchema BytesSchema = new(8, 8, 0, "key", "bytes");

    public static TransactionalStore Open(TransactionalOptions? options = null, RecordSchema? schema = null) =>
        TransactionalStore.OpenAsync(null, options ?? new(), schema ?? Schema, default)
            .AsTask().GetAwaiter().GetResult();

    /// <summary>Runs a transaction on longs.</summary>
    public static TransactionStatus Run(
        this TransactionalSession session, long[] written, long[] read, TransactionBody body) =>
        session.Run<UnmanagedKey<long>, LongTransaction>(
            [.. written.Select(Key)], [.. read.Select(Key)], new LongTransaction(body));

    /// <summary>Runs a transaction on bytes.</summary>
    public static TransactionStatus RunBytes(this TransactionalSession session, long[] written, TransactionBody body) =>
        session.Run<UnmanagedKey<long>, BytesTransaction>([.. written.Select(Key)], [], new BytesTransaction(body));

    /// <summary>Runs a transaction.</summary>
    public static TransactionStatus Run<TKey, TTransaction>(
        this TransactionalSession session, TKey[] written, TKey[] read, TTransaction transaction)
        where TKey : struct, IKey
        where TTransaction : struct, ITransaction
    {
        if (written.Length == 0)
        {
            var readKeys = new ReadKeys<TKey>(read);
            return session.Run<TKey, ReadKeys<TKey>, TTransaction>(ref readKeys, ref transaction);
        }

        var keys = new MixedKeys<TKey>(written, read);
        return session.Run<TKey, MixedKeys<TKey>, TTransaction>(ref keys, ref transaction);
    }

    /// <summary>Reads values together.</summary>
    public static long[] ReadAll(this TransactionalSession session, params long[] keys)
    {
        long[] values = new long[keys.Length];
        Assert.Equal(TransactionStatus.Committed, session.Run([], keys, records =>
        {
            for (int i = 0; i < values.Length; i++) values[i] = records.Exists(i) ? records.Read<long>(i) : -1;
            return true;
        }));
        return values;
    }

    /// <summary>Moves an amount from one record to another, if it has so much.</summary>
    public static TransactionStatus Transfer(this TransactionalSession session, long from, long to, long amount) =>
        session.Run([from, to], [], records =>
        {
            if (records.Read<long>(0) < amount) return false;
            records.Write<long>(0) -= amount;
            records.Write<long>(1) += amount;
            return true;
        });

    public static Status Put(this TransactionalSession session, long key, long number)
    {
        var put = new ProbedOperations.Put<SwapShape>(number, 8);
        return session.Upsert(Key(key), ref put);
    }

    public static long? Get(this TransactionalSession session, long key)
    {
        var get = default(ProbedOperations.Get<SwapShape>);
        return session.Read(Key(key), ref get) == Status.Ok ? get.Value : null;
    }

    public static Status Remove(this TransactionalSession session, long key)
    {
        var remove = default(ProbedOperations.Remove<SwapShape>);
        return session.Delete(Key(key), ref remove);
    }

    private static UnmanagedKey<long> Key(long key) => new(key);

    /// <summary>Keys that are written, then keys that are read.</summary>
    internal readonly struct MixedKeys<TKey>(TKey[] written, TKey[] read) : IKeySet<TKey>
        where TKey : struct, IKey
    {
        public static int FixedCount => 0;

        public static bool IsReadOnly => false;

        public int Count => written.Length + read.Length;

        public TKey GetKey(int index) => index < written.Length ? written[index] : read[index - written.Length];

        public RecordAccess GetAccess(int index) => index < written.Length ? RecordAccess.Write : RecordAccess.Read;
    }

    /// <summary>Keys that are read.</summary>
    internal readonly struct ReadKeys<TKey>(TKey[] read) : IKeySet<TKey>
        where TKey : struct, IKey
    {
        public static int FixedCount => 0;

        public static bool IsReadOnly => true;

        public int Count => read.Length;

        public TKey GetKey(int index) => read[index];

        public RecordAccess GetAccess(int index) => RecordAccess.Read;
    }

    /// <summary>A transaction on longs.</summary>
    internal readonly struct LongTransaction(TransactionBody body) : ITransaction
    {
        public static int ValueSize => 8;

        public static bool IsAwaited => false;

        public bool Run(scoped TransactionRecords records) => body(records);

        public void Capture() => Assert.Fail("Nobody awaits it.");

        public void Complete(TransactionStatus status, Exception? error) => Assert.Fail("It was not captured.");
    }

    /// <summary>A transaction on bytes.</summary>
    internal readonly struct BytesTransaction(TransactionBody body) : ITransaction
    {
        public static int ValueSize => 0;

        public static bool IsAwaited => false;

        public bool Run(scoped TransactionRecords records) => body(records);

        public void Capture() => Assert.Fail("Nobody awaits it.");

        public void Complete(TransactionStatus status, Exception? error) => Assert.Fail("It was not captured.");
    }
}
