using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// LMDB as it is by default: each transaction is on the disk when it ends. It has one writer at a time.
/// </summary>
/// <param name="folder">Its folder.</param>
/// <param name="shape">What it must hold.</param>
internal sealed class LmdbSyncEngine(string folder, EngineShape shape)
    : LmdbEngine(folder, shape, 0), IDurableEngine
{
    /// <inheritdoc/>
    public bool SyncsEachCall => true;
}
