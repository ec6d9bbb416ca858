using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Suites;

/// <summary>Transactions of several threads leave the sum as it is, and no transaction sees another one.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class BankTransfers<TEngine>
    where TEngine : ITransactionEngine
{
    private const int Threads = 4, Steps = 2_000, Balance = 100;

    [Theory]
    [InlineData(2)]
    [InlineData(16)]
    public Task The_sum_is_the_same_whenever_it_is_read(int accounts) => Seeded.RunAsync(1, async seed =>
    {
        await using Accounts.IStore store = await TEngine.OpenAccountsAsync();
        await using Accounts.ISession session = store.StartSession();
        long[] all = [.. Enumerable.Range(0, accounts).Select(static key => (long)key)];
        foreach (long key in all) _ = session.Upsert(key, Balance);
        long sum = accounts * Balance;
        await Task.Run(() => Workers.Run(Threads, worker =>
        {
            using Accounts.ISession own = store.StartSession();
            var random = new Random((seed * Threads) + worker);
            for (int i = 0; i < Steps; i++) Step(own, random, all, sum);
        }));
        Assert.Equal((sum, accounts), await session.SumAsync(CallForm.Status, all));
    });

    private static void Step(Accounts.ISession session, Random random, long[] all, long sum)
    {
        long from = random.Next(all.Length), to = (from + 1 + random.Next(all.Length - 1)) % all.Length;
        switch (random.Next(4))
        {
            case 0:
                _ = session.Sum(all, out (long Sum, int Present) total);
                Assert.Equal((sum, all.Length), total);
                break;
            case 1:
                Assert.NotEqual(TransactionStatus.Conflicted, session.Rotate([from, to], out _));
                break;
            case 2:
                var statuses = new TransactionStatus[3];
                session.TransferBatch([from, to, from], [to, from, to], [1, 2, 3], statuses);
                Assert.DoesNotContain(TransactionStatus.Conflicted, statuses);
                break;
            default:
                Assert.NotEqual(TransactionStatus.Conflicted, session.Transfer(from, to, random.Next(20)));
                break;
        }
    }
}
