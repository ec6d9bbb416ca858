using Faster.Workload;
using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>A store of our transactional engine.</summary>
internal sealed class AccountsEngine(Accounts.Store store) : ITransactionEngine
{
    /// <inheritdoc/>
    public long? MemoryBytes => store.Statistics.MemoryBytes;

    /// <inheritdoc/>
    public long? Conflicts => store.Statistics.Conflicts;

    /// <inheritdoc/>
    public ITransactionEngine OpenYardstick(int keys) => new BareAccounts(keys);

    /// <inheritdoc/>
    public void Load(int keys)
    {
        using Accounts.Session session = store.StartSession();
        for (long key = 0; key < keys; key++) _ = session.Upsert(key, key);
    }

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() => new Worker(store.StartSession());

    /// <inheritdoc/>
    public Task CommitAsync() => ((ICommittingStore)store).CommitAsync();

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    private sealed class Worker(Accounts.Session session) : ITransactionWorker
    {
        public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            long sum = 0;
            TransactionStatus status = (reads.Length, updates.Length) switch
            {
                (1, 0) => session.Get(reads[0], out sum),
                (0, 1) => session.Add(updates[0], amount),
                (_, 0) => session.Sum(reads, out sum),
                (0, _) => session.AddAll(updates, amount),
                _ => session.Mix(reads, updates, amount, out sum),
            };
            return status == TransactionStatus.Committed
                ? sum
                : throw new WrongAnswerException($"A transaction has ended as {status}.");
        }

        public void Dispose() => session.Dispose();
    }
}
