using Faster.Workload;
using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>A store of our transactional engine.</summary>
/// <param name="store">The store.</param>
/// <param name="options">How it was opened.</param>
internal sealed class AccountsEngine(Accounts.Store store, TransactionalOptions options) : ITransactionEngine
{
    /// <inheritdoc/>
    public long? MemoryBytes => store.Statistics.MemoryBytes;

    /// <inheritdoc/>
    public long? Conflicts => store.Statistics.Conflicts;

    private bool HasCommitLog => options.CommitAlgorithm == CommitAlgorithm.Calc;

    /// <summary>Opens an empty store.</summary>
    public static async Task<ITransactionEngine> OpenAsync(string? folder, TransactionalOptions options) =>
        new AccountsEngine(await Accounts.OpenAsync(folder, options), options);

    /// <inheritdoc/>
    public ITransactionEngine OpenYardstick(int keys) => new BareAccounts(keys);

    /// <inheritdoc/>
    public async Task<TransactionReferences?> OpenReferencesAsync(int keys)
    {
        if (!HasCommitLog && options.Durability == Durability.Commits) return null;
        TransactionalOptions byCommits = options with
        {
            CommitAlgorithm = default, Durability = Durability.Commits, OperationLogSize = default,
        };
        ITransactionEngine plain = await OpenAsync(null, byCommits);
        return new TransactionReferences(plain, HasCommitLog ? new AppendingAccounts(plain) : null);
    }

    /// <inheritdoc/>
    public void Load(int keys)
    {
        using Accounts.Session session = store.StartSession();
        for (long key = 0; key < keys; key++) _ = session.Upsert(key, key);
    }

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() => new Worker(store.StartSession());

    /// <inheritdoc/>
    public IAwaitedTransactions StartAwaited(int depth) => new AwaitedAccounts(store.StartSession(), depth);

    /// <inheritdoc/>
    public Task CommitAsync() => ((ICommittingStore)store).CommitAsync();

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    /// <summary>Requires that a transaction has committed.</summary>
    public static void Require(TransactionStatus status)
    {
        if (status != TransactionStatus.Committed)
            throw new WrongAnswerException($"A transaction has ended as {status}.");
    }

    private sealed class Worker(Accounts.Session session) : ITransactionWorker
    {
        public long? Conflicts => session.Figures.Conflicts;

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
            Require(status);
            return sum;
        }

        public void Dispose() => session.Dispose();
    }
}
