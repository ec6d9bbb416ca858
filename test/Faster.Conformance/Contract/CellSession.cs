namespace Faster.Conformance.Contract;

/// <summary>
/// What all sessions of cells do in the same way: the plain read-modify-writes, by those with an output.
/// </summary>
internal abstract class CellSession : ICellSession
{
    /// <inheritdoc/>
    public abstract Status Read(long key, out long value, PendingTicket<long> ticket);

    /// <inheritdoc/>
    public abstract Status Upsert(long key, long value, PendingTicket<long> ticket);

    /// <inheritdoc/>
    public abstract Status Delete(long key, PendingTicket<long> ticket);

    /// <inheritdoc/>
    public abstract Status Rmw(long key, CellInput input, out long output, PendingTicket<long> ticket);

    /// <inheritdoc/>
    public virtual bool CompletePending(bool wait) => true;

    /// <inheritdoc/>
    public abstract ValueTask<ReadResult<long>> ReadAsync(long key);

    /// <inheritdoc/>
    public abstract ValueTask UpsertAsync(long key, long value);

    /// <inheritdoc/>
    public abstract ValueTask DeleteAsync(long key);

    /// <inheritdoc/>
    public abstract ValueTask<RmwResult<long>> RmwAsync(long key, CellInput input);

    /// <inheritdoc/>
    public abstract void ReadBatch(ReadOnlySpan<long> keys, Span<ReadResult<long>> results);

    /// <inheritdoc/>
    public abstract void UpsertBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> values);

    /// <inheritdoc/>
    public abstract void DeleteBatch(ReadOnlySpan<long> keys);

    /// <inheritdoc/>
    public virtual void Prefetch(long key)
    {
    }

    /// <inheritdoc/>
    public abstract void RmwBatch(
        ReadOnlySpan<long> keys, ReadOnlySpan<CellInput> inputs, Span<RmwResult<long>> results);

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();

    /// <inheritdoc/>
    public Status Rmw(long key, long input, PendingTicket<long> ticket) =>
        Rmw(key, new CellInput(CellAction.Add, input), out _, ticket);

    /// <inheritdoc/>
    public async ValueTask<Status> RmwAsync(long key, long input) =>
        (await RmwAsync(key, new CellInput(CellAction.Add, input))).Created ? Status.Created : Status.Ok;

    /// <inheritdoc/>
    public void RmwBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs) =>
        RmwBatch(keys, inputs, new Status[keys.Length]);

    /// <inheritdoc/>
    public void RmwBatch(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs, Span<Status> statuses)
    {
        var cells = new CellInput[keys.Length];
        for (int i = 0; i < cells.Length; i++) cells[i] = new CellInput(CellAction.Add, inputs[i]);
        var results = new RmwResult<long>[keys.Length];
        RmwBatch(keys, cells, results);
        for (int i = 0; i < results.Length; i++) statuses[i] = results[i].Created ? Status.Created : Status.Ok;
    }
}
