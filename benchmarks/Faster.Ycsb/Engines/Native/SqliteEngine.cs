using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// SQLite in its fastest setup: write-ahead log, no syncing, one transaction for a chunk of operations, prepared
/// statements, a connection for each client.
/// </summary>
internal class SqliteEngine : IEngine
{
    private const long MappedBytes = 1L << 36;

    private readonly string _file;
    private readonly EngineShape _shape;
    private readonly string _synchronous;

    /// <summary>Makes an empty table.</summary>
    public SqliteEngine(string folder, EngineShape shape)
        : this(folder, shape, "OFF")
    {
    }

    /// <summary>Makes an empty table, or finds the one in the folder.</summary>
    protected SqliteEngine(string folder, EngineShape shape, string synchronous)
    {
        _synchronous = synchronous;
        _file = Path.Combine(folder, "sqlite.db");
        _shape = shape;
        using var connection = new SqliteConnection(_file);
        connection.Execute("PRAGMA journal_mode=WAL");
        connection.Execute(
            "CREATE TABLE IF NOT EXISTS kv (k INTEGER PRIMARY KEY, word INTEGER NOT NULL, rest BLOB NOT NULL)");
    }

    /// <inheritdoc/>
    public virtual IWorker StartWorker() => StartWorker(new Lock());

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Starts a client that holds a lock while it updates.</summary>
    protected IWorker StartWorker(Lock writing)
    {
        var connection = new SqliteConnection(_file);
        connection.Execute($"PRAGMA synchronous={_synchronous}");
        if (_shape.MemoryBytes is { } bytes)
        {
            // Each connection has a cache of its own: as many share the memory as there are processors.
            connection.Execute($"PRAGMA cache_size=-{bytes / 1024 / Environment.ProcessorCount}");
        }
        else
        {
            connection.Execute($"PRAGMA mmap_size={MappedBytes}");
        }

        return new SqliteWorker(connection, _shape.ValueBytes - sizeof(long), writing);
    }
}
