using System.Buffers.Binary;
using Faster.Workload;
using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Engines.Native;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>
/// RocksDB's transactions with pessimistic locks: each key is locked as it is read, in the order of the keys, so that
/// none waits for another in a circle, and each waits as long as it takes. Of equal keys in a group of transactions the
/// updated one comes first, so that no lock is upgraded.
/// </summary>
internal sealed unsafe class RocksAccounts : ITransactionEngine
{
    private readonly nint _store;
    private readonly nint _readOptions = RocksLibrary.CreateReadOptions();
    private readonly nint _writeOptions = RocksLibrary.CreateWriteOptions();
    private readonly nint _transactionOptions = RocksTransactionLibrary.CreateTransactionOptions();

    /// <summary>Opens an empty store.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="syncs">Whether each commit syncs the log.</param>
    public RocksAccounts(string folder, bool syncs)
    {
        nint options = RocksLibrary.CreateOptions();
        RocksLibrary.SetCreateIfMissing(options, 1);
        RocksLibrary.IncreaseParallelism(options, Environment.ProcessorCount);
        RocksLibrary.SetCompression(options, 0);
        _store = RocksTransactionLibrary.Open(
            options, RocksTransactionLibrary.CreateOptions(), folder, out nint error);
        RocksLibrary.Require(error);
        RocksTransactionLibrary.SetLockTimeout(_transactionOptions, -1);
        RocksLibrary.SetSync(_writeOptions, syncs ? (byte)1 : (byte)0);
    }

    /// <inheritdoc/>
    public void Load(int keys)
    {
        nint unsynced = RocksLibrary.CreateWriteOptions();
        for (long key = 0; key < keys; key++)
        {
            long ordered = BinaryPrimitives.ReverseEndianness(key), value = key;
            RocksTransactionLibrary.Put(
                _store, unsynced, (byte*)&ordered, sizeof(long), (byte*)&value, sizeof(long), out nint error);
            RocksLibrary.Require(error);
        }
    }

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() => new Worker(this);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        RocksTransactionLibrary.Close(_store);
        return ValueTask.CompletedTask;
    }

    private sealed class Worker(RocksAccounts accounts) : ITransactionWorker
    {
        private readonly List<(long Key, bool IsUpdated)> _keys = [];
        private nint _transaction;

        public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            _keys.Clear();
            foreach (long key in reads) _keys.Add((key, false));
            foreach (long key in updates) _keys.Add((key, true));
            _keys.Sort(static (one, other) => one.Key != other.Key
                ? one.Key.CompareTo(other.Key)
                : other.IsUpdated.CompareTo(one.IsUpdated));
            _transaction = RocksTransactionLibrary.Begin(
                accounts._store, accounts._writeOptions, accounts._transactionOptions, _transaction);
            long sum = 0;
            foreach ((long key, bool isUpdated) in _keys)
            {
                long value = Read(key, isUpdated);
                if (isUpdated) Put(key, value + amount);
                else sum += value;
            }

            RocksTransactionLibrary.Commit(_transaction, out nint error);
            RocksLibrary.Require(error);
            return sum;
        }

        public void Dispose()
        {
            if (_transaction != 0) RocksTransactionLibrary.Destroy(_transaction);
        }

        private long Read(long key, bool isUpdated)
        {
            long ordered = BinaryPrimitives.ReverseEndianness(key);
            byte* value = RocksTransactionLibrary.GetForUpdate(
                _transaction, accounts._readOptions, (byte*)&ordered, sizeof(long), out _,
                isUpdated ? (byte)1 : (byte)0, out nint error);
            RocksLibrary.Require(error);
            if (value == null) throw new WrongAnswerException($"RocksDB lost key {key}.");
            long word = *(long*)value;
            RocksLibrary.Free((nint)value);
            return word;
        }

        private void Put(long key, long value)
        {
            long ordered = BinaryPrimitives.ReverseEndianness(key);
            RocksTransactionLibrary.Put(
                _transaction, (byte*)&ordered, sizeof(long), (byte*)&value, sizeof(long), out nint error);
            RocksLibrary.Require(error);
        }
    }
}
