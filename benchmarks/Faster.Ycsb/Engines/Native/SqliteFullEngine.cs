using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// SQLite with a write-ahead log that is synced at the end of each transaction. Its one writer at a time waits for a
/// lock of this program: SQLite's own waiting sleeps for milliseconds.
/// </summary>
/// <param name="folder">Its folder.</param>
/// <param name="shape">What it must hold.</param>
internal sealed class SqliteFullEngine(string folder, EngineShape shape)
    : SqliteEngine(folder, shape, "FULL"), IDurableEngine
{
    private readonly Lock _writing = new();

    /// <inheritdoc/>
    public bool SyncsEachCall => true;

    /// <inheritdoc/>
    public override IWorker StartWorker() => StartWorker(_writing);
}
