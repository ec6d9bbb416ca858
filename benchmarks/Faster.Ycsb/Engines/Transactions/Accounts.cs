namespace Faster.Ycsb.Engines.Transactions;

/// <summary>Numbers by numbers, with the transactions that are measured.</summary>
[Store(Engine = typeof(TransactionalEngine), Key = typeof(long))]
internal static partial class Accounts
{
    [Transaction]
    private static void Get(in long record, out long value) => value = record;

    [Transaction]
    private static void Add(ref long record, long amount) => record += amount;

    [Transaction]
    private static void Sum(ReadOnlyRecords<long> read, out long sum) => sum = SumOf(read);

    [Transaction]
    private static void AddAll(Records<long> updated, long amount)
    {
        for (int i = 0; i < updated.Count; i++) updated[i] += amount;
    }

    [Transaction]
    private static void Mix(ReadOnlyRecords<long> read, Records<long> updated, long amount, out long sum)
    {
        sum = SumOf(read);
        for (int i = 0; i < updated.Count; i++) updated[i] += amount;
    }

    private static long SumOf(ReadOnlyRecords<long> read)
    {
        long sum = 0;
        for (int i = 0; i < read.Count; i++) sum += read[i];
        return sum;
    }
}
