using Faster.Contracts;
using Faster.Operations;

namespace Faster.Conformance.Engines.Latched;

/// <summary>
/// The session of <see cref="LatchedEngine"/>. Not thread-safe; calls that overlap are serialized by the latch instead
/// of being refused.
/// </summary>
public abstract unsafe partial class LatchedSession(LatchedTable table)
{
    private readonly LatchedTable _table = table;
    private readonly ValueBuffer _buffer = new();
    private volatile bool _isClosed;

    /// <inheritdoc/>
    public Status Read<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
    {
        lock (_table.Latch)
        {
            using LatchedTable.Call call = Begin();
            byte* record = *_table.Find(key, out _);
            if (record is null) return Status.NotFound;
            operation.ConcurrentRead(_table.ValueOf(record, key).Bytes);
            return Status.Ok;
        }
    }

    /// <inheritdoc/>
    public Status Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
    {
        lock (_table.Latch)
        {
            using LatchedTable.Call call = Begin();
            byte** link = _table.Find(key, out ulong hash);
            if (*link is not null)
            {
                ValueSlot value = _table.ValueOf(*link, key);
                if (operation.ConcurrentWrite(ref value)) return Status.Ok;
            }

            byte* record = _table.NewRecord(key, hash, operation.Length);
            try
            {
                operation.SingleWrite(_table.ValueOf(record, key).Bytes);
            }
            catch
            {
                _table.Free(record);
                throw;
            }

            _table.Link(link, record);
            return Status.Ok;
        }
    }

    /// <inheritdoc/>
    public Status Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
    {
        lock (_table.Latch)
        {
            using LatchedTable.Call call = Begin();
            byte** link = _table.Find(key, out ulong hash);
            _buffer.Clear();
            Status made = Status.Ok;
            if (*link is null)
            {
                made = Status.Created;
                operation.InitialUpdate(_buffer);
            }
            else
            {
                ValueSlot value = _table.ValueOf(*link, key);
                if (operation.InPlaceUpdate(ref value)) return Status.Ok;
                operation.CopyUpdate(value.Bytes, _buffer);
            }

            byte* record = _table.NewRecord(key, hash, _buffer.Written.Length);
            _buffer.Written.CopyTo(_table.ValueOf(record, key).Bytes);
            _table.Link(link, record);
            return made;
        }
    }

    /// <inheritdoc/>
    public Status Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
    {
        lock (_table.Latch)
        {
            using LatchedTable.Call call = Begin();
            byte** link = _table.Find(key, out _);
            if (*link is null) return Status.NotFound;
            _table.Unlink(link);
            return Status.Ok;
        }
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
    public void Prefetch<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        // Nothing is ahead of time under a latch.
    }

    /// <inheritdoc/>
    public void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
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
        for (int i = 0; i < batch.Count; i++)
        {
            TOperation operation = batch.GetOperation(i);
            batch.SetResult(i, Delete(batch.GetKey(i), ref operation), ref operation);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isClosed = true;
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }

    private LatchedTable.Call Begin() => _isClosed
        ? throw new SessionMisuseException("The session is closed.")
        : _table.Begin();
}
