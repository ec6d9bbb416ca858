using Bank.Transfers;

namespace Bank.Tests;

public sealed class PlanTests
{
    [Theory]
    [InlineData(2)]
    [InlineData(1000)]
    public void Transfers_are_between_two_accounts_and_few_are_refused(int accounts)
    {
        TransferPlan plan = new(accounts, seed: 3);
        Transfer[] all = [.. Enumerable.Range(1, 10_000).Select(number => plan[1, number])];
        Assert.All(all, transfer =>
        {
            Assert.InRange(transfer.From, 0, accounts - 1);
            Assert.InRange(transfer.To, 0, accounts - 1);
            Assert.NotEqual(transfer.From, transfer.To);
            Assert.InRange(transfer.Amount, 1, long.MaxValue);
        });
        Assert.InRange(all.Count(static transfer => transfer.IsRefused), 400, 900);
        Assert.InRange(all.Select(static transfer => transfer.From).Distinct().Count(), accounts * 0.99, accounts);
        Assert.Equal(all, Enumerable.Range(1, 10_000).Select(number => new TransferPlan(accounts, 3)[1, number]));
        Assert.NotEqual(all[0], new TransferPlan(1_000_000, 4)[1, 1]);
    }
}
