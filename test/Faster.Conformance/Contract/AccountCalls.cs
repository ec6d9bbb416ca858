using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Contract;

/// <summary>Specifies in which form a transaction is called.</summary>
public enum CallForm
{
    /// <summary>The one that returns how it ended.</summary>
    Status,

    /// <summary>The awaited one.</summary>
    Awaited,

    /// <summary>A batch of one.</summary>
    Batch,
}

/// <summary>The transactions of accounts in each of their forms.</summary>
internal static class AccountCalls
{
    public static async Task<TransactionStatus> TransferAsync(
        this Accounts.ISession session, CallForm form, long from, long to, long amount)
    {
        if (form == CallForm.Awaited) return await session.TransferAsync(from, to, amount);
        if (form == CallForm.Status) return session.Transfer(from, to, amount);
        var statuses = new TransactionStatus[1];
        session.TransferBatch([from], [to], [amount], statuses);
        return statuses[0];
    }

    public static async Task<long> AuditAsync(
        this Accounts.ISession session, CallForm form, long first, long second)
    {
        var results = new TransactionResult<long>[1];
        if (form == CallForm.Awaited) results[0] = await session.AuditAsync(first, second);
        else if (form == CallForm.Batch) session.AuditBatch([first], [second], results);
        else results[0] = new(session.Audit(first, second, out long sum), sum);
        Assert.True(results[0].IsCommitted);
        return results[0].Value;
    }

    public static async Task InheritAsync(this Accounts.ISession session, CallForm form, long account, long heir)
    {
        var statuses = new TransactionStatus[1];
        if (form == CallForm.Awaited) statuses[0] = await session.InheritAsync(account, heir);
        else if (form == CallForm.Batch) session.InheritBatch([account], [heir], statuses);
        else statuses[0] = session.Inherit(account, heir);
        Assert.Equal(TransactionStatus.Committed, statuses[0]);
    }

    public static async Task<TransactionStatus> PayAllAsync(
        this Accounts.ISession session, CallForm form, long payer, long[] payees, long[] rates, long amount)
    {
        if (form == CallForm.Awaited) return await session.PayAllAsync(payer, payees, rates, amount);
        if (form == CallForm.Status) return session.PayAll(payer, payees, rates, amount);
        var statuses = new TransactionStatus[1];
        session.PayAllBatch([payer], [payees], [rates], [amount], statuses);
        return statuses[0];
    }

    public static async Task<(long Sum, int Present)> SumAsync(
        this Accounts.ISession session, CallForm form, params long[] accounts)
    {
        var results = new TransactionResult<(long Sum, int Present)>[1];
        if (form == CallForm.Awaited) results[0] = await session.SumAsync(accounts);
        else if (form == CallForm.Batch) session.SumBatch([accounts], results);
        else results[0] = new(session.Sum(accounts, out (long, int) total), total);
        Assert.True(results[0].IsCommitted);
        return results[0].Value;
    }

    public static async Task EmptyAsync(this Accounts.ISession session, CallForm form, long[] accounts, long into)
    {
        var statuses = new TransactionStatus[1];
        if (form == CallForm.Awaited) statuses[0] = await session.EmptyAsync(accounts, into);
        else if (form == CallForm.Batch) session.EmptyBatch([accounts], [into], statuses);
        else statuses[0] = session.Empty(accounts, into);
        Assert.Equal(TransactionStatus.Committed, statuses[0]);
    }

    public static async Task<TransactionResult<long>> WithdrawAsync(
        this Accounts.ISession session, CallForm form, long account, Func<long, long> amount)
    {
        if (form == CallForm.Awaited) return await session.WithdrawAsync(account, amount);
        if (form == CallForm.Status) return new(session.Withdraw(account, amount, out long left), left);
        var results = new TransactionResult<long>[1];
        session.WithdrawBatch([account], [amount], results);
        return results[0];
    }

    /// <summary>Reads the balances of accounts; null where there is none.</summary>
    public static long?[] Balances(this Accounts.ISession session, params long[] keys) =>
        [.. keys.Select(key => session.Read(key, out long balance) == Status.Ok ? balance : (long?)null)];
}
