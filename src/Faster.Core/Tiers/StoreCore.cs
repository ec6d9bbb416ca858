using Faster.Commits;
using Faster.Epochs;
using Faster.Expiry;
using Faster.Opening;
using Faster.Sessions;
using Faster.Threads;

namespace Faster.Tiers;

/// <summary>
/// What the tiers, sessions and background work of one store share, whatever its engine: epochs, the state of commits,
/// the registry of sessions, the clock, and faults.
/// </summary>
/// <remarks>Thread-safe once the store is open.</remarks>
internal class StoreCore
{
    private long _fuzzyUpdates;

    /// <summary>Creates the shared parts of a store that is being opened.</summary>
    /// <param name="store">The store, which is the sender of its events.</param>
    /// <param name="plan">The store's plan: options, metadata, and the commit that is recovered.</param>
    public StoreCore(object store, StorePlan plan)
    {
        Store = store;
        (Options, MemoryPlan) = (plan.Options, plan.Plan);
        Clock = StoreClock.For(Options, plan.Metadata.Schema, plan.Commit?.Clock);
        Epochs = new EpochTable(OnFault);
        PendingOrder order = Options.Durability == Durability.EachOperation // a commit must free the logs by itself
            ? PendingOrder.Relaxed
            : Options.PendingOrder;
        Commits = new CommitState(plan.FirstVersion, order, MemoryPlan.LatchStripes, Options.TimeProvider);
        Sessions = new SessionRegistry(Commits);
        Closing = new StoreClosing(Epochs, Sessions, Options.CloseTimeout, OnFault);
    }

    /// <summary>Whose parts these are; the sender of events.</summary>
    public object Store { get; }

    /// <summary>The options that the store was opened with.</summary>
    public StoreOptions Options { get; }

    /// <summary>How the store's memory is divided.</summary>
    public MemoryPlan MemoryPlan { get; }

    /// <summary>The epochs that protect memory and state of all tiers.</summary>
    public EpochTable Epochs { get; }

    /// <summary>The state of the running commit, as sessions see it.</summary>
    public CommitState Commits { get; }

    /// <summary>The registry of the store's sessions.</summary>
    public SessionRegistry Sessions { get; }

    /// <summary>The time by which records age and expire.</summary>
    public StoreClock Clock { get; }

    /// <summary>Closes the store, and holds the state of that.</summary>
    public StoreClosing Closing { get; }

    /// <summary>The faults of background work, which belong to no operation.</summary>
    public FaultLog Faults { get; } = new();

    /// <summary>The tiers, in the order in which an operation searches them for its key.</summary>
    public IReadOnlyList<Tier> Tiers { get; private set; } = [];

    /// <summary>Publishes commits; null for a store that does not commit.</summary>
    public CommitPublisher? Publisher { get; set; }

    /// <summary>Makes commits; null for a store that does not.</summary>
    public CommitCoordinator? Coordinator { get; set; }

    /// <summary>The time without progress after which an operation fails; tests shorten it.</summary>
    public TimeSpan StallLimit { get; set; } = WaitClock.StallLimit;

    /// <summary>The number of read-modify-writes that have waited for the fuzzy region to pass.</summary>
    public long FuzzyUpdates => Volatile.Read(ref _fuzzyUpdates);

    /// <summary>Adds a tier. Called before any thread of the store runs.</summary>
    public void Add(Tier tier) => Tiers = [.. Tiers, tier];

    /// <summary>The coordinator of the store's commits.</summary>
    /// <exception cref="NotSupportedException">The store makes no commits.</exception>
    public CommitCoordinator RequireCoordinator()
    {
        Closing.ThrowIfUnusable();
        return Coordinator ?? throw new NotSupportedException(
            "A store without a folder can't commit, nor one of FASTER with the in-memory allocator. Open it with a "
            + "path, of FASTER with the hybrid or the append-only log.");
    }

    /// <summary>Counts a read-modify-write that waits for the fuzzy region to pass.</summary>
    public void CountFuzzy() => Interlocked.Increment(ref _fuzzyUpdates);

    /// <summary>Wakes the I/O threads of all tiers.</summary>
    public void WakeIO()
    {
        foreach (Tier tier in Tiers) tier.IO?.Wake();
    }

    /// <summary>Throws if a failed sync has poisoned the store.</summary>
    /// <exception cref="StorageException">The store is poisoned.</exception>
    public void ThrowIfPoisoned() => Publisher?.ThrowIfPoisoned();

    /// <summary>Records a fault of background work, and raises the store's event.</summary>
    public void OnFault(Exception fault) => Faults.Add(Store, fault);

    /// <summary>Runs one part of background work; what it throws is noted and does not stop the other parts.</summary>
    /// <returns>What the part returns; false if it has thrown.</returns>
    public bool Guarded<T>(T worker, Func<T, bool> part)
    {
        try
        {
            return part(worker);
        }
        catch (Exception e)
        {
            OnFault(e);
            return false;
        }
    }
}
