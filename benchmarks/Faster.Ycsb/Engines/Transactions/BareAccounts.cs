using System.Runtime.CompilerServices;
using Faster.Workload;
using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Engines.Bare;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>
/// The same work as transactions, but nothing else: buckets, then records are fetched, then values read and changed. No
/// lock, no epoch, no copy. Two threads may lose updates.
/// </summary>
internal sealed class BareAccounts(int keys) : ITransactionEngine
{
    private readonly BareTable _table = new(keys);

    /// <inheritdoc/>
    public bool IsSerializable => false;

    /// <inheritdoc/>
    public long? MemoryBytes => _table.UsedBytes;

    /// <inheritdoc/>
    public void Load(int keys)
    {
        for (long key = 0; key < keys; key++) _table.Insert(key, key);
    }

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() => new Worker(_table);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _table.Dispose();
        return ValueTask.CompletedTask;
    }

    private sealed unsafe class Worker(BareTable table) : ITransactionWorker
    {
        private const int MostFetched = 16;

        public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            if (reads.Length + updates.Length <= 1)
            {
                if (updates.IsEmpty) return reads.IsEmpty ? 0 : *table.Find(reads[0], table.HashOf(reads[0]));
                *table.Find(updates[0], table.HashOf(updates[0])) += amount;
                return 0;
            }

            long sum = 0;
            for (; !reads.IsEmpty || !updates.IsEmpty; )
            {
                int some = Math.Min(reads.Length, MostFetched), others = Math.Min(updates.Length, MostFetched - some);
                sum += RunPart(reads[..some], updates[..others], amount);
                reads = reads[some..];
                updates = updates[others..];
            }

            return sum;
        }

        public void Dispose()
        {
        }

        [SkipLocalsInit]
        private long RunPart(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            Span<ulong> hashes = stackalloc ulong[MostFetched];
            int count = 0;
            foreach (long key in reads) table.Prefetch(hashes[count++] = table.HashOf(key));
            foreach (long key in updates) table.Prefetch(hashes[count++] = table.HashOf(key));
            foreach (ulong hash in hashes[..count]) table.PrefetchRecord(hash);
            long sum = 0;
            for (int i = 0; i < reads.Length; i++) sum += *table.Find(reads[i], hashes[i]);
            for (int i = 0; i < updates.Length; i++)
                *table.Find(updates[i], hashes[reads.Length + i]) += amount;
            return sum;
        }
    }
}
