using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// LMDB in its fastest setup: a writable map, no syncing, one transaction for a chunk of operations. Its memory is the
/// page cache: no budget bounds it, only a limit of the process does.
/// </summary>
internal class LmdbEngine : IEngine
{
    private readonly LmdbTable _table;
    private readonly int _valueBytes;

    /// <summary>Opens an empty store.</summary>
    public LmdbEngine(string folder, EngineShape shape)
        : this(folder, shape, LmdbLibrary.NoSync | LmdbLibrary.WriteMap)
    {
    }

    /// <summary>Opens a store, with some flags set already.</summary>
    protected LmdbEngine(string folder, EngineShape shape, uint flags)
    {
        flags |= shape.MemoryBytes is null ? 0 : LmdbLibrary.NoReadAhead;
        _table = new LmdbTable(folder, shape.Keys, shape.ValueBytes, flags);
        _valueBytes = shape.ValueBytes;
    }

    /// <inheritdoc/>
    public IWorker StartWorker() => new LmdbWorker(_table, _valueBytes);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _table.Dispose();
        return ValueTask.CompletedTask;
    }
}
