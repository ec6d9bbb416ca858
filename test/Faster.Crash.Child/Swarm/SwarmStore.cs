using Faster.Analytics;
using Faster.Commits;
using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Crash.Leases;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Engines.Transactional;
using Faster.Log;
using Faster.Stores;

namespace Faster.Crash.Swarm;

/// <summary>An open store of the swarm, whatever its engine. Thread-safe, as the store is.</summary>
/// <param name="store">The store.</param>
internal sealed class SwarmStore(CommittingStore store) : IAsyncDisposable
{
    /// <summary>Raised after each commit, in order.</summary>
    public event Action<Commit>? Committed
    {
        add => store.Committed += value;
        remove => store.Committed -= value;
    }

    /// <summary>What opening it has recovered; null if there was no commit.</summary>
    public RecoveryReport? Recovery => store.Recovery;

    /// <summary>Scans.</summary>
    public StoreScans Scans => store.Analytics;

    /// <summary>The phase of the commit under way.</summary>
    public CommitPhase Phase => store.Core.Commits.Current.Phase;

    /// <summary>Opens the store of a plan.</summary>
    public static SwarmStore Open(SwarmPlan plan, StoreFiles files, LeaseTime? clock)
    {
        RecordSchema schema = FasterWorkStore.SchemaOf(bytes: true, plan.Merges);
        if (plan.Tiers is { } tiers)
        {
            if (clock is not null) tiers = tiers with { TimeProvider = clock };
            return new SwarmStore(TieredOpener.Open(files, tiers, schema, mustExist: false, null, default));
        }

        StoreOptions options = clock is null ? plan.Options : plan.Options with { TimeProvider = clock };
        if (plan.Table is { } table)
        {
            return new SwarmStore(
                new TransactionalOpener<TransactionalStore>(table, schema, static start => new(start)).Open(
                    files, mustExist: false, null, default));
        }

        return new SwarmStore(StoreOpener.Open(files, options, schema, mustExist: false, null, default));
    }

    /// <summary>Compacts a part of a log, if there is one, that random numbers choose.</summary>
    public Task CompactAsync(Random random) => store switch
    {
        FasterStore one => one.CompactAsync(Within(one.Log, random)),
        TieredStore tiers => CompactOneAsync(tiers, random),
        _ => Task.CompletedTask,
    };

    /// <summary>Starts a session.</summary>
    public ICommitSession Start(string? name) =>
        store is LogStore log ? log.Start(name) : ((TransactionalStore)store).StartSession(name);

    /// <summary>Continues a session.</summary>
    public ICommitSession Continue(string name) =>
        store is LogStore log ? log.Continue(name, out _) : ((TransactionalStore)store).ContinueSession(name, out _);

    /// <summary>Forgets a session.</summary>
    public bool Forget(string name) => store.ForgetSession(name);

    /// <summary>Commits.</summary>
    public Task<Commit> CommitAsync(CommitKind kind, bool withIndex = false) =>
        store is LogStore log ? log.CommitAsync(kind, withIndex) : ((TransactionalStore)store).CommitAsync();

    /// <summary>Takes a checkpoint of the index, if it is in a file.</summary>
    public Task CheckpointIndexAsync() => (store as LogStore)?.CheckpointIndexAsync() ?? Task.CompletedTask;

    /// <summary>Doubles the index, or halves it, unless the store does so by itself.</summary>
    /// <exception cref="LimitExceededException">It has its largest or smallest size.</exception>
    public Task ResizeAsync(bool grow) => store is not LogStore log ? Task.CompletedTask
        : grow ? log.GrowIndexAsync()
        : log.ShrinkIndexAsync();

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    // Within the lower logs less often: they grow only by what has left the hot log.
    private static Task CompactOneAsync(TieredStore store, Random random)
    {
        PagedLog chunks = store.ColdIndex.Log.Pages;
        return random.Next(4) switch
        {
            0 => store.CompactColdAsync(Within(store.Cold.Log, random)),
            1 => store.IndexCompactor.RunAsync(chunks.PageStartOf(Within(chunks, random))),
            _ => store.CompactHotAsync(Within(store.Hot.Log, random)),
        };
    }

    private static long Within(RecordAllocator log, Random random)
    {
        long begin = log.BeginAddress;
        return begin + (long)((log.TailAddress - begin) * random.NextDouble());
    }
}
