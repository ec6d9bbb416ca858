using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional;

/// <summary>Transactions of many threads over records that come and go, while the index grows.</summary>
public sealed class TransactionSoakTests
{
    /// <summary>
    /// Groups of four keys, of which each has all of its records or none: a transaction that sees something else has
    /// seen half of another one. Keys of a group lie anywhere in the index.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Groups_of_keys_come_and_go_whole_while_the_index_grows(bool readsLock) => Guard.RunAsync(() =>
    {
        const int Threads = 4, PerGroup = 4;
        int groups = TestBudget.Times(8_000);
        using TransactionalStore store = TransactionCalls.Open(
            new() { MemoryBudget = ByteSize.MiB(64), ExpectedKeys = 256, ReadsLock = readsLock });
        long live = 0;
        Parallel.For(0, Threads, new ParallelOptions { MaxDegreeOfParallelism = Threads }, thread =>
        {
            using TransactionalSession session = store.StartSession();
            Random random = TestSeed.NewRandom(thread);
            long[] keys = new long[PerGroup];
            long added = 0;
            for (int i = 0; i < groups; i++)
            {
                // Half of the accesses meet others' in a few groups.
                long group = random.Next(2) == 0 ? random.Next(8) : random.Next(1 + (i * 4));
                for (int j = 0; j < PerGroup; j++) keys[j] = group + ((long)j << 32);
                if (random.Next(3) == 0) AssertWhole(session.ReadAll(keys));
                else added += Flip(session, keys, random.Next(4) == 0);
            }

            Interlocked.Add(ref live, added);
        });
        Assert.Equal(live * PerGroup, store.Statistics.Records);
        Assert.True(store.Statistics.IndexGrowths > 2, $"{store.Statistics.IndexGrowths} growths");
        List<long> scanned = ScanAll(store);
        Assert.Equal(live * PerGroup, scanned.Count);
        Assert.Equal(scanned.Count, scanned.Distinct().Count());
    });

    [Fact]
    public Task Money_is_conserved_beside_audits_of_one_moment() => Guard.RunAsync(() =>
    {
        const int Threads = 4, Accounts = 10, Each = 1000;
        int rounds = TestBudget.Times(20_000);
        using TransactionalStore store = TransactionCalls.Open();
        long[] accounts = [.. Enumerable.Range(0, Accounts).Select(static key => (long)key)];
        using (TransactionalSession session = store.StartSession())
            foreach (long account in accounts) _ = session.Put(account, Each);
        Parallel.For(0, Threads, new ParallelOptions { MaxDegreeOfParallelism = Threads }, thread =>
        {
            using TransactionalSession session = store.StartSession();
            Random random = TestSeed.NewRandom(thread);
            for (int i = 0; i < rounds; i++)
            {
                long from = random.Next(Accounts), to = (from + 1 + random.Next(Accounts - 1)) % Accounts;
                if (i % 4 == thread) Assert.Equal(Accounts * Each, session.ReadAll(accounts).Sum());
                else _ = session.Transfer(from, to, random.Next(300));
            }
        });
        Assert.Equal(Accounts, store.Statistics.Records);
    });

    [Fact]
    public Task An_index_whose_records_were_deleted_shrinks_beside_transactions() => Guard.RunAsync(() =>
    {
        const int Count = 60_000, Part = 100;
        using TransactionalStore store = TransactionCalls.Open(new() { ExpectedKeys = 256 });
        using TransactionalSession session = store.StartSession();
        for (long key = 0; key < Count; key++) _ = session.Put(key, key);
        WaitUntil(() => store.Statistics.IndexGrowths > 3);
        long grown = store.Tier.Index.BucketCount;
        for (long first = Part; first < Count; first += Part)
        {
            long[] keys = [.. Enumerable.Range(0, Part).Select(i => first + i)];
            Assert.Equal(TransactionStatus.Committed, session.Run(keys, [], static records =>
            {
                for (int i = 0; i < Part; i++) records.Delete(i);
                return true;
            }));
        }

        WaitUntil(() =>
        {
            Assert.Equal([0, 99], session.ReadAll(0, 99));
            _ = session.Transfer(1, 2, 0);
            return store.Tier.Index.BucketCount < grown;
        });
        Assert.Equal(Part, store.Statistics.Records);
        Assert.Equal(Part, ScanAll(store).Count);
    });

    private static void WaitUntil(Func<bool> holds) =>
        Assert.True(SpinWait.SpinUntil(holds, TestBudget.StallTimeout), "It does not come about.");

    private static long Flip(TransactionalSession session, long[] keys, bool aborts)
    {
        bool exists = false;
        TransactionStatus status = session.Run(keys, [], records =>
        {
            exists = records.Exists(0);
            for (int i = 0; i < keys.Length; i++)
            {
                Assert.Equal(exists, records.Exists(i));
                if (exists) records.Delete(i);
                else records.Write<long>(i) = keys[0];
            }

            return !aborts;
        });
        Assert.Equal(aborts ? TransactionStatus.Aborted : TransactionStatus.Committed, status);
        return aborts ? 0 : exists ? -1 : 1;
    }

    private static void AssertWhole(long[] values) =>
        Assert.True(values.Distinct().Count() == 1, $"Half of a transaction: {string.Join(", ", values)}");

    private static List<long> ScanAll(TransactionalStore store)
    {
        var keys = new List<long>();
        IAsyncEnumerator<long> scan = store.Analytics
            .ScanAsync(null, static record => BitConverter.ToInt64(record.Key)).GetAsyncEnumerator();
        while (scan.MoveNextAsync().AsTask().GetAwaiter().GetResult()) keys.Add(scan.Current);
        return keys;
    }
}
