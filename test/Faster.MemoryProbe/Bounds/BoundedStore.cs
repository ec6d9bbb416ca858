namespace Faster.MemoryProbe.Bounds;

/// <summary>A store of any engine, as loads and the watch use it.</summary>
/// <param name="Store">The store.</param>
/// <param name="Start">Starts a session.</param>
/// <param name="IsExceeded">Whether the store says that its live data do not fit its disk budget.</param>
/// <param name="LastFault">The last fault of background work, or null.</param>
internal sealed record BoundedStore(
    IAsyncDisposable Store, Func<BoundedSession> Start, Func<bool> IsExceeded, Func<Exception?> LastFault)
    : IAsyncDisposable
{
    /// <summary>The engines, in the shapes that have budgets of their own.</summary>
    public static readonly string[] Engines = ["faster", "tiers", "tiers-apart", "memory", "ring"];

    /// <summary>Opens a new store.</summary>
    /// <param name="engine">One of <see cref="Engines"/>.</param>
    /// <param name="merges">Whether its updates merge.</param>
    /// <param name="memory">Its memory budget in bytes.</param>
    /// <param name="disk">Its disk budget in bytes, where the engine has one.</param>
    /// <param name="folder">A folder that its folders are made in.</param>
    public static async Task<BoundedStore> OpenAsync(
        string engine, bool merges, long memory, long disk, string folder)
    {
        string own = Path.Combine(folder, "store");
        var one = new StoreOptions
        {
            MemoryBudget = new ByteSize(memory), DiskBudget = new ByteSize(disk), CommitOnDispose = false,
        };
        var two = new TieredOptions
        {
            MemoryBudget = new ByteSize(memory), DiskBudget = new ByteSize(disk), CommitOnDispose = false,
            ColdFolder = engine == "tiers-apart" ? Path.Combine(folder, "cold") : null,
        };
        return (engine, merges) switch
        {
            ("faster", false) => Of(await OneTier.OpenAsync(own, one)),
            ("faster", true) => Of(await OneTierMerged.OpenAsync(own, one)),
            ("tiers" or "tiers-apart", false) => Of(await TwoTiers.OpenAsync(own, two)),
            ("tiers" or "tiers-apart", true) => Of(await TwoTiersMerged.OpenAsync(own, two)),
            ("memory", _) => Of(await OneTier.OpenAsync(
                null, one with { Allocator = RecordAllocatorKind.InMemory, DiskBudget = default })),
            _ => Of(await RingBlobs.OpenAsync(new HotRingOptions { MemoryBudget = new ByteSize(memory) })),
        };
    }

    /// <summary>Whether an engine can have a load.</summary>
    public static bool Supports(string engine, LoadKind load) => load switch
    {
        LoadKind.Merge => engine == "faster" || IsTiered(engine),
        LoadKind.Expiring => engine != "ring",
        _ => true,
    };

    /// <summary>Whether an engine has two tiers.</summary>
    public static bool IsTiered(string engine) => engine is "tiers" or "tiers-apart";

    /// <summary>Whether an engine writes files.</summary>
    public static bool HasFiles(string engine) => engine is not ("memory" or "ring");

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => Store.DisposeAsync();

    private static BoundedStore Of(OneTier.Store store) => new(
        store,
        () =>
        {
            OneTier.Session session = store.StartSession();
            return new BoundedSession(
                session, session.Upsert, session.Delete, () => session.CompletePending(wait: true))
            {
                SetTimeToLive = time => session.TimeToLive = time,
            };
        },
        () => store.Statistics.DiskBudgetExceeded, () => store.Statistics.LastFault);

    private static BoundedStore Of(TwoTiers.Store store) => new(
        store,
        () =>
        {
            TwoTiers.Session session = store.StartSession();
            return new BoundedSession(
                session, session.Upsert, session.Delete, () => session.CompletePending(wait: true))
            {
                SetTimeToLive = time => session.TimeToLive = time,
            };
        },
        () => store.Statistics.DiskBudgetExceeded, () => store.Statistics.LastFault);

    private static BoundedStore Of(OneTierMerged.Store store) => new(
        store,
        () =>
        {
            OneTierMerged.Session session = store.StartSession();
            return new BoundedSession(session, session.Rmw, session.Delete, () => session.CompletePending(wait: true));
        },
        () => store.Statistics.DiskBudgetExceeded, () => store.Statistics.LastFault);

    private static BoundedStore Of(TwoTiersMerged.Store store) => new(
        store,
        () =>
        {
            TwoTiersMerged.Session session = store.StartSession();
            return new BoundedSession(session, session.Rmw, session.Delete, () => session.CompletePending(wait: true));
        },
        () => store.Statistics.DiskBudgetExceeded, () => store.Statistics.LastFault);

    private static BoundedStore Of(RingBlobs.Store store) => new(
        store,
        () =>
        {
            RingBlobs.Session session = store.StartSession();
            return new BoundedSession(session, session.Upsert, session.Delete, () => { });
        },
        () => false, () => store.Statistics.LastFault);
}
