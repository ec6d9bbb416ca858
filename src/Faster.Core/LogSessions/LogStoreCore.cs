using Faster.LogSessions.Pending;
using Faster.Opening;
using Faster.Operations.Journaling;
using Faster.Tiers;

namespace Faster.LogSessions;

/// <summary>
/// What a store over logs shares beyond <see cref="StoreCore"/>: the memory of pending operations, and the sessions
/// that serve the store's own work.
/// </summary>
/// <remarks>Thread-safe once the store is open.</remarks>
internal sealed class LogStoreCore : StoreCore
{
    /// <inheritdoc cref="StoreCore(object, StorePlan)"/>
    public LogStoreCore(object store, StorePlan plan)
        : base(store, plan) => PendingMemory = new PendingMemory(
            Commits, MemoryPlan.PendingBytes, MemoryPlan.PendingSmallBytes, MemoryPlan.IdleOperations);

    /// <summary>The memory of pending operations, of all tiers together.</summary>
    public PendingMemory PendingMemory { get; }

    /// <summary>
    /// The operation logs in front of the store; null unless each operation is durable. Set before the first session.
    /// </summary>
    public Journal? Journal { get; set; }

    /// <summary>Starts an internal session, which commits ignore.</summary>
    public required Func<string, LogSession> StartInternal { get; init; }

    /// <summary>The shared state of a tier's store, which is over logs.</summary>
    public static LogStoreCore Of(Tier tier) => (LogStoreCore)tier.Core;
}
