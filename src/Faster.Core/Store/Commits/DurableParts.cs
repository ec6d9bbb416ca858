using Faster.Checkpoints;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Devices;
using Faster.Log;

namespace Faster;

/// <summary>What a store that has a folder commits by.</summary>
/// <param name="Files">The folder.</param>
/// <param name="Identity">The store's identity.</param>
/// <param name="Catalog">Its commits.</param>
/// <param name="Log">The log.</param>
/// <param name="Storage">Where it lies on the device.</param>
/// <param name="Flusher">What writes it there.</param>
/// <param name="Garbage">How much it takes there, how old it is, and what gives it up.</param>
internal sealed record DurableParts<TProbe>(
    StoreFiles Files, ulong Identity, CommitCatalog Catalog, PagedLog<TProbe> Log, LogStorage Storage,
    PageFlusher<TProbe> Flusher, LogGarbage<TProbe> Garbage)
    where TProbe : struct, IProbe;
