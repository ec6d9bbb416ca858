using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// RocksDB without its log and without compression, with Bloom filters. A quarter of the memory, 128 MiB at most, is
/// for two write buffers, the rest for the block cache, which holds indexes and filters too. Unless a limit is in force
/// for the process, it bypasses the page cache, which would be memory beyond the budget.
/// </summary>
internal class RocksEngine : IEngine
{
    private const int NoCompression = 0;
    private const int WriteBuffers = 2;
    private const long MaxWriteBytes = 128L << 20;
    private const double BitsPerKey = 10;
    private const int RecordOverhead = 64;

    /// <summary>Opens an empty store.</summary>
    public RocksEngine(string folder, EngineShape shape)
        : this(folder, shape, RocksLibrary.CreateOptions(), RocksLibrary.CreateWriteOptions()) =>
        RocksLibrary.SetDisableLog(Handles.WriteOptions, 1);

    /// <summary>Opens a store, with some options set already.</summary>
    protected RocksEngine(string folder, EngineShape shape, nint options, nint writeOptions)
    {
        long memory = shape.MemoryBytes ?? (MaxWriteBytes + (2 * shape.Keys * (RecordOverhead + shape.ValueBytes)));
        long writing = Math.Min(memory / 4, MaxWriteBytes);
        nint table = RocksLibrary.CreateTable();
        RocksLibrary.SetCache(table, RocksLibrary.CreateCache((nuint)(memory - writing)));
        RocksLibrary.SetFilter(table, RocksLibrary.CreateBloom(BitsPerKey));
        RocksLibrary.SetCacheOfIndex(table, 1);
        RocksLibrary.SetCreateIfMissing(options, 1);
        RocksLibrary.IncreaseParallelism(options, Environment.ProcessorCount);
        RocksLibrary.SetCompression(options, NoCompression);
        RocksLibrary.SetWriteBuffer(options, (nuint)(writing / WriteBuffers));
        RocksLibrary.SetWriteBuffers(options, WriteBuffers);
        RocksLibrary.SetTable(options, table);
        if (shape is { MemoryBytes: not null, LimitBytes: null })
        {
            RocksLibrary.SetDirectReads(options, 1);
            RocksLibrary.SetDirectWrites(options, 1);
        }

        nint store = RocksLibrary.Open(options, folder, out nint error);
        RocksLibrary.Require(error);
        Handles = new RocksHandles(store, RocksLibrary.CreateReadOptions(), writeOptions, shape.ValueBytes);
    }

    /// <summary>What its clients share.</summary>
    protected RocksHandles Handles { get; }

    /// <inheritdoc/>
    public virtual IWorker StartWorker() => new RocksWorker(Handles);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        RocksLibrary.Close(Handles.Store);
        return ValueTask.CompletedTask;
    }
}
