using Faster.Checkpoints;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Log;
using Faster.Tiers;

namespace Faster.Store.Commits;

/// <summary>What the commits of a store with a folder need.</summary>
/// <param name="Files">The folder.</param>
/// <param name="Identity">The store's identity.</param>
/// <param name="Catalog">The commits in the folder.</param>
/// <param name="Tier">The log and its index.</param>
/// <param name="Reclamation">The log's disk space, its age, and the truncation that reclaims it.</param>
internal sealed record DurabilityComponents<TProbe>(
    StoreFiles Files, ulong Identity, CommitCatalog Catalog, Tier<TProbe> Tier, LogReclamation<TProbe> Reclamation)
    where TProbe : struct, IProbe
{
    /// <summary>The log whose pages commits flush.</summary>
    public PagedLog<TProbe> Log => Tier.PagedLog!;

    /// <summary>The log's storage on the device.</summary>
    public LogStorage Storage => Tier.Storage!;

    /// <summary>Flushes the log's pages.</summary>
    public PageFlusher<TProbe> Flusher => Tier.Flusher!;
}
