using System.Runtime.InteropServices;
using Faster.Workload;
using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Engines.Native;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>
/// LMDB: one write transaction for each transaction that updates, of which one at a time runs; a read transaction for
/// the others.
/// </summary>
/// <param name="folder">Its folder.</param>
/// <param name="keys">How many keys it will hold.</param>
/// <param name="syncs">Whether each commit syncs; else the map is written without any sync.</param>
internal sealed class LmdbAccounts(string folder, int keys, bool syncs) : ITransactionEngine
{
    private readonly LmdbTable _table = new(
        folder, keys, sizeof(long), syncs ? 0 : LmdbLibrary.NoSync | LmdbLibrary.WriteMap);

    /// <inheritdoc/>
    public void Load(int keys)
    {
        LmdbLibrary.Require(LmdbLibrary.Begin(_table.Environment, 0, 0, out nint transaction));
        for (long key = 0; key < keys; key++) _table.Put(transaction, key, BytesOf(ref key));
        LmdbLibrary.Require(LmdbLibrary.Commit(transaction));
    }

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() => new Worker(_table);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _table.Dispose();
        return ValueTask.CompletedTask;
    }

    private static ReadOnlySpan<byte> BytesOf(ref long word) => MemoryMarshal.AsBytes(new ReadOnlySpan<long>(ref word));

    private sealed class Worker : ITransactionWorker
    {
        private readonly LmdbTable _table;
        private readonly nint _reading;

        public Worker(LmdbTable table)
        {
            _table = table;
            LmdbLibrary.Require(LmdbLibrary.Begin(table.Environment, 0, LmdbLibrary.ReadOnly, out _reading));
            LmdbLibrary.Reset(_reading);
        }

        public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            if (updates.IsEmpty)
            {
                LmdbLibrary.Require(LmdbLibrary.Renew(_reading));
                long seen = Sum(_reading, reads);
                LmdbLibrary.Reset(_reading);
                return seen;
            }

            LmdbLibrary.Require(LmdbLibrary.Begin(_table.Environment, 0, 0, out nint writing));
            long sum = Sum(writing, reads);
            foreach (long key in updates)
            {
                long word = Read(writing, key) + amount;
                _table.Put(writing, key, BytesOf(ref word));
            }

            LmdbLibrary.Require(LmdbLibrary.Commit(writing));
            return sum;
        }

        public void Dispose() => LmdbLibrary.Abort(_reading);

        private long Sum(nint transaction, ReadOnlySpan<long> keys)
        {
            long sum = 0;
            foreach (long key in keys) sum += Read(transaction, key);
            return sum;
        }

        private unsafe long Read(nint transaction, long key) => *(long*)_table.Get(transaction, key).Start;
    }
}
