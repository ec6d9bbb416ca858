using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Tests.Engines.Example;

/// <summary>The session of <see cref="ExampleEngine"/>. Not thread-safe: calls that overlap are refused.</summary>
public abstract unsafe class ExampleSession : SessionCore, ICopyingSession
{
    private const int CopiedBytes = 64 << 10;

    private readonly ExampleStore _store;
    private readonly OrderedRecords _records;
    private readonly ValueBuffer _buffer = new();
    private readonly OrderedRecord _key = new(default, []); // of the operation
    private byte[] _slot = new byte[32];
    private OrderedRecord _copied = new(default, []);       // the last record of a scan

    /// <summary>Makes a session.</summary>
    protected ExampleSession(SessionStart start)
        : this((ExampleStore)start.Store, start)
    {
    }

    private ExampleSession(ExampleStore store, SessionStart start)
        : base(store.Epochs, start.Name, start.Entry) => (_store, _records) = (store, store.Records);

    internal override SessionRegistry Registry => _store.Sessions;

    private protected override bool IsStoreClosing => _store.IsClosing;

    /// <inheritdoc/>
    public Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
    {
        using SessionGate.Call call = BeginCall();
        using UserCode.Scope inside = UserCode.Enter(Mark);
        byte[]? value;
        lock (_records.Latch) value = _records.Find(KeyOf(key))?.Value;
        if (value is null) return Status.NotFound;
        operation.SingleRead(value);
        return Status.Ok;
    }

    /// <inheritdoc/>
    public Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
    {
        using SessionGate.Call call = BeginCall();
        using UserCode.Scope inside = UserCode.Enter(Mark);
        byte[] value = new byte[operation.Length];
        operation.SingleWrite(value);
        lock (_records.Latch) _records.Put(KeyOf(key), value);
        return Status.Ok;
    }

    /// <inheritdoc/>
    public Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
    {
        using SessionGate.Call call = BeginCall();
        using UserCode.Scope inside = UserCode.Enter(Mark);
        _buffer.Clear();
        lock (_records.Latch)
        {
            OrderedRecord? found = _records.Find(KeyOf(key));
            if (found is null) operation.InitialUpdate(_buffer);
            else operation.CopyUpdate(found.Value, _buffer);
            _records.Put(_key, _buffer.Written.ToArray());
            return found is null ? Status.Created : Status.Ok;
        }
    }

    /// <inheritdoc/>
    public Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
    {
        using SessionGate.Call call = BeginCall();
        lock (_records.Latch) return _records.Remove(KeyOf(key)) ? Status.Ok : Status.NotFound;
    }

    /// <inheritdoc/>
    public Status Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Read(key, ref operation);
        }
    }

    /// <inheritdoc/>
    public Status Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Upsert(key, ref operation);
        }
    }

    /// <inheritdoc/>
    public Status Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Rmw(key, ref operation);
        }
    }

    /// <inheritdoc/>
    public void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using SessionGate.Call call = BeginCall();
        for (int i = 0; i < batch.Count; i++)
        {
            TOperation operation = batch.GetOperation(i);
            batch.SetResult(i, Read(batch.GetKey(i), ref operation), ref operation);
        }
    }

    /// <inheritdoc/>
    public void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using SessionGate.Call call = BeginCall();
        for (int i = 0; i < batch.Count; i++)
        {
            TOperation operation = batch.GetOperation(i);
            batch.SetResult(i, Upsert(batch.GetKey(i), ref operation), ref operation);
        }
    }

    /// <inheritdoc/>
    public void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using SessionGate.Call call = BeginCall();
        for (int i = 0; i < batch.Count; i++)
        {
            TOperation operation = batch.GetOperation(i);
            batch.SetResult(i, Rmw(batch.GetKey(i), ref operation), ref operation);
        }
    }

    /// <inheritdoc/>
    public void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using SessionGate.Call call = BeginCall();
        for (int i = 0; i < batch.Count; i++)
        {
            TOperation operation = batch.GetOperation(i);
            batch.SetResult(i, Delete(batch.GetKey(i), ref operation), ref operation);
        }
    }

    /// <inheritdoc/>
    public void Prefetch<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        // A tree has no address to fetch before it is walked.
    }

    // The place of a scan is the last key, which the session keeps; the number only says that there is one.
    ulong ICopyingSession.CopyRecords(ulong from, RecordCopies copies)
    {
        using SessionGate.Call call = BeginCall();
        if (from == 0) _copied = new(default, []);
        OrderedRecord last = _copied;
        lock (_records.Latch)
        {
            foreach (OrderedRecord record in _records.From(last))
            {
                if (from != 0 && record.CompareTo(last) == 0) continue;
                copies.Add(record.Key.Span, record.Value);
                _copied = record;
                if (copies.Bytes >= CopiedBytes) return 1;
            }
        }

        return 0;
    }

    private OrderedRecord KeyOf<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        if (_slot.Length < key.SlotSize) _slot = new byte[key.SlotSize];
        fixed (byte* slot = _slot)
        {
            key.WriteTo(slot);
            int size = _records.Schema.KeySize;
            _key.Key = size != 0 ? _slot.AsMemory(0, size) : _slot.AsMemory(VariableLength.KeyPrefix, *(int*)slot);
        }

        return _key;
    }
}
