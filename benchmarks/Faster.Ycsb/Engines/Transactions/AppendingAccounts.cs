using Faster.Workload.Experiments.Transactions;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>
/// A store each of whose transactions is followed by what an append to an atomic commit log is: one increment of a word
/// that all threads share, and a write to a ring. The difference from the same store without is what the tail costs.
/// </summary>
/// <param name="plain">The store, which another one closes.</param>
internal sealed class AppendingAccounts(ITransactionEngine plain) : ITransactionEngine
{
    private const int Entries = 1 << 14, CacheLine = 64, WordsOfLine = CacheLine / sizeof(long);

    private readonly long[] _tail = new long[3 * WordsOfLine], _ring = new long[Entries];

    /// <inheritdoc/>
    public void Load(int keys) => plain.Load(keys);

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() => new Worker(this, plain.StartTransactions());

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private sealed class Worker(AppendingAccounts accounts, ITransactionWorker worker) : ITransactionWorker
    {
        private long _number;

        public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            long sum = worker.Run(reads, updates, amount);
            ref long tail = ref accounts._tail[WordsOfLine];
            accounts._ring[Interlocked.Increment(ref tail) & (Entries - 1)] = ++_number;
            return sum;
        }

        public void Dispose() => worker.Dispose();
    }
}
