using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>A session of our transactional engine that awaits its transactions.</summary>
internal sealed class AwaitedAccounts(Accounts.Session session, int depth) : IAwaitedTransactions
{
    private readonly ValueTask<long>[] _slots = new ValueTask<long>[depth];

    /// <inheritdoc/>
    public void Begin(int slot, ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
    {
#pragma warning disable CA2012 // Each is kept in its slot, and awaited there once.
        _slots[slot] = (reads.Length, updates.Length) switch
        {
            (1, 0) => ValueOf(session.GetAsync(reads[0])),
            (0, 1) => EndOf(session.AddAsync(updates[0], amount)),
            (_, 0) => ValueOf(session.SumAsync(reads)),
            (0, _) => EndOf(session.AddAllAsync(updates, amount)),
            _ => ValueOf(session.MixAsync(reads, updates, amount)),
        };
#pragma warning restore CA2012
    }

    /// <inheritdoc/>
    public ValueTask<long> EndAsync(int slot) => _slots[slot];

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    private static ValueTask<long> ValueOf(ValueTask<TransactionResult<long>> transaction)
    {
        return transaction.IsCompletedSuccessfully
            ? ValueTask.FromResult(Checked(transaction.Result))
            : WaitAsync(transaction);

        static async ValueTask<long> WaitAsync(ValueTask<TransactionResult<long>> transaction) =>
            Checked(await transaction);

        static long Checked(TransactionResult<long> result)
        {
            AccountsEngine.Require(result.Status);
            return result.Value;
        }
    }

    private static ValueTask<long> EndOf(ValueTask<TransactionStatus> transaction)
    {
        if (!transaction.IsCompletedSuccessfully) return WaitAsync(transaction);
        AccountsEngine.Require(transaction.Result);
        return ValueTask.FromResult(0L);

        static async ValueTask<long> WaitAsync(ValueTask<TransactionStatus> transaction)
        {
            AccountsEngine.Require(await transaction);
            return 0;
        }
    }
}
