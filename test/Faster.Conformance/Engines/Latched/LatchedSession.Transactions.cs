using Faster.Contracts;

namespace Faster.Conformance.Engines.Latched;

/// <content>
/// Transactions under the latch: what they do, without anything that makes them fast. Other engines are compared with
/// it.
/// </content>
public abstract unsafe partial class LatchedSession : ITransactionSession
{
    private readonly LatchedRecords _records = new(table);
    private byte[] _slot = new byte[64];
    private int[] _places = new int[16];

    /// <inheritdoc/>
    public TransactionStatus Run<TKey, TKeys, TTransaction>(scoped ref TKeys keys, ref TTransaction transaction)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        TransactionStatus status;
        lock (_table.Latch)
        {
            using LatchedTable.Call call = Begin();
            try
            {
                if (_places.Length < keys.Count) _places = new int[keys.Count];
                for (int i = 0; i < keys.Count; i++) _places[i] = PlaceOf(keys.GetKey(i));
                bool commits;
                fixed (int* places = _places) commits = transaction.Run(_records.Of(places));
                status = End(commits);
            }
            finally
            {
                _records.Clear();
            }
        }

        return Deliver(status, ref transaction);
    }

    /// <inheritdoc/>
    public TransactionStatus RunDynamic<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, IDynamicTransaction
    {
        TransactionStatus status;
        lock (_table.Latch)
        {
            using LatchedTable.Call call = Begin();
            try
            {
                status = End(transaction.Run(_records));
            }
            finally
            {
                _records.Clear();
            }
        }

        return Deliver(status, ref transaction);
    }

    /// <inheritdoc/>
    public void RunBatch<TKey, TKeys, TTransaction, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
        where TBatch : struct, ITransactionBatch<TKey, TKeys, TTransaction>, allows ref struct
    {
        if (serialNumber is not null) throw new NotSupportedException("The engine has no commits.");
        for (int i = 0; i < batch.Count; i++)
        {
            TKeys keys = batch.GetKeys(i);
            TTransaction transaction = batch.GetTransaction(i);
            batch.SetResult(i, Run<TKey, TKeys, TTransaction>(ref keys, ref transaction), ref transaction);
        }
    }

    private TransactionStatus End(bool commits)
    {
        if (!commits) return TransactionStatus.Aborted;
        _records.Install();
        return TransactionStatus.Committed;
    }

    // As an engine does that waits for a disk, if the options say so.
    private TransactionStatus Deliver<TTransaction>(TransactionStatus status, ref TTransaction transaction)
        where TTransaction : struct, ITransactionForm
    {
        if (!TTransaction.IsAwaited || !_table.Options.CompletesLater) return status;
        transaction.Capture();
        TTransaction captured = transaction;
        _ = ThreadPool.UnsafeQueueUserWorkItem(_ => captured.Complete(status, null), null);
        return default;
    }

    private int PlaceOf<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        if (_slot.Length < key.SlotSize) _slot = new byte[key.SlotSize];
        fixed (byte* slot = _slot)
        {
            key.WriteTo(slot);
            int size = _table.Schema.KeySize;
            return _records.PlaceOf(size != 0 ? new(slot, size) : VariableLength.KeyBytes(slot));
        }
    }
}
