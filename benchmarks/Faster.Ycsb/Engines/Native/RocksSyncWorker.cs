namespace Faster.Ycsb.Engines.Native;

/// <summary>A client of RocksDB whose calls write by one batch, durable when they return.</summary>
internal sealed unsafe class RocksSyncWorker(RocksHandles handles) : RocksWorker(handles)
{
    private readonly RocksHandles _handles = handles;
    private readonly nint _batch = RocksLibrary.CreateBatch();
    private bool _writes;

    /// <inheritdoc/>
    public override void Dispose()
    {
        RocksLibrary.DestroyBatch(_batch);
        base.Dispose();
    }

    /// <inheritdoc/>
    protected override void Begin(bool writes) => _writes = writes;

    /// <inheritdoc/>
    protected override void End()
    {
        if (!_writes)
            return;
        RocksLibrary.Write(_handles.Store, _handles.WriteOptions, _batch, out nint error);
        RocksLibrary.Require(error);
        RocksLibrary.ClearBatch(_batch);
    }

    /// <inheritdoc/>
    protected override void Put(byte* key, nuint keyLength, byte* value, nuint valueLength) =>
        RocksLibrary.PutInBatch(_batch, key, keyLength, value, valueLength);

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">Always: it would not see what its own batch adds.</exception>
    protected override void AddOne(long key) =>
        throw new NotSupportedException("Durable writes are blind updates here.");
}
