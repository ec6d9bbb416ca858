using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// LMDB in its fastest setup: a writable map, no syncing, one transaction for a chunk of operations. Its memory is the
/// page cache: no budget bounds it, only a limit of the process does.
/// </summary>
internal class LmdbEngine : IEngine
{
    private const uint MaxReaders = 512;
    private const uint FileMode = 0x1A4; // rw-r--r--
    private const long MinMap = 1L << 30;
    private const int RecordOverhead = 64;
    private const int Slack = 4;

    private readonly nint _environment;
    private readonly uint _table;
    private readonly int _valueBytes;

    /// <summary>Opens an empty store.</summary>
    public LmdbEngine(string folder, EngineShape shape)
        : this(folder, shape, LmdbLibrary.NoSync | LmdbLibrary.WriteMap)
    {
    }

    /// <summary>Opens a store, with some flags set already.</summary>
    protected LmdbEngine(string folder, EngineShape shape, uint flags)
    {
        LmdbLibrary.Require(LmdbLibrary.Create(out _environment));
        long map = MinMap + (Slack * shape.Keys * (RecordOverhead + shape.ValueBytes));
        LmdbLibrary.Require(LmdbLibrary.SetMapSize(_environment, (nuint)map));
        LmdbLibrary.Require(LmdbLibrary.SetMaxReaders(_environment, MaxReaders));
        flags |= LmdbLibrary.NoThreadLocalReaders
            | (shape.MemoryBytes is null ? 0 : LmdbLibrary.NoReadAhead);
        LmdbLibrary.Require(LmdbLibrary.Open(_environment, folder, flags, FileMode));
        LmdbLibrary.Require(LmdbLibrary.Begin(_environment, 0, 0, out nint transaction));
        LmdbLibrary.Require(LmdbLibrary.OpenTable(transaction, 0, LmdbLibrary.IntegerKeys, out _table));
        LmdbLibrary.Require(LmdbLibrary.Commit(transaction));
        _valueBytes = shape.ValueBytes;
    }

    /// <inheritdoc/>
    public IWorker StartWorker() => new LmdbWorker(_environment, _table, _valueBytes);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        LmdbLibrary.Close(_environment);
        return ValueTask.CompletedTask;
    }
}
