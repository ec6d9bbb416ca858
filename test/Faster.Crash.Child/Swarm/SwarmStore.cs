using Faster.Commits;
using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Crash.Leases;
using Faster.Devices.Folders;
using Faster.Log;
using Faster.Sessions;
using Faster.Store;
using Faster.Store.Opening;
using Faster.Tiered;

namespace Faster.Crash.Swarm;

/// <summary>An open store of the swarm, whatever its engine. Thread-safe, as the store is.</summary>
internal abstract class SwarmStore : IAsyncDisposable
{
    /// <summary>Raised after each commit, in order.</summary>
    public abstract event Action<Commit>? Committed;

    /// <summary>What opening it has recovered; null if there was no commit.</summary>
    public abstract RecoveryReport? Recovery { get; }

    /// <summary>Scans.</summary>
    public abstract IStoreScans Scans { get; }

    /// <summary>The phase of the commit under way.</summary>
    public required Func<CommitPhase> Phase { get; init; }

    /// <summary>Compacts a part of a log that random numbers choose.</summary>
    public required Func<Random, Task> CompactAsync { get; init; }

    /// <summary>Opens the store of a plan.</summary>
    public static SwarmStore Open(SwarmPlan plan, StoreFiles files, LeaseTime? clock)
    {
        RecordSchema schema = EngineStore.SchemaOf(bytes: true, plan.Merges);
        if (plan.Tiers is { } tiers)
        {
            if (clock is not null) tiers = tiers with { TimeProvider = clock };
            TieredStore two = TieredOpener.Open(files, tiers, schema, mustExist: false, null, default);
            return new Of<TieredStore, TieredSession, TieredOptions>(two, two.Analytics)
            {
                Phase = () => two.Core.Commits.Current.Phase, CompactAsync = random => CompactOneAsync(two, random),
            };
        }

        StoreOptions options = clock is null ? plan.Options : plan.Options with { TimeProvider = clock };
        FasterStore one = StoreOpener.Open(files, options, schema, mustExist: false, null, default);
        return new Of<FasterStore, FasterSession, StoreOptions>(one, one.Analytics)
        {
            Phase = () => one.Core.Commits.Current.Phase,
            CompactAsync = random => one.CompactAsync(Within(one.Log, random)),
        };
    }

    /// <summary>Starts a session.</summary>
    public abstract HashSession Start(string? name);

    /// <summary>Continues a session.</summary>
    public abstract HashSession Continue(string name);

    /// <summary>Forgets a session.</summary>
    public abstract bool Forget(string name);

    /// <summary>Commits.</summary>
    public abstract Task<Commit> CommitAsync(CommitKind kind, bool withIndex = false);

    /// <summary>Takes a checkpoint of the index.</summary>
    public abstract Task CheckpointIndexAsync();

    /// <summary>Doubles the index, or halves it.</summary>
    /// <exception cref="LimitExceededException">It has its largest or smallest size.</exception>
    public abstract Task ResizeAsync(bool grow);

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();

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

    private sealed class Of<TStore, TSession, TOptions>(TStore store, IStoreScans scans) : SwarmStore
        where TStore : class, ICommitStore<TStore, TSession, TOptions>, ILogCommitStore, IIndexStore, IAsyncDisposable
        where TSession : HashSession, ICommitSession
        where TOptions : class
    {
        public override event Action<Commit>? Committed
        {
            add => store.Committed += value;
            remove => store.Committed -= value;
        }

        public override RecoveryReport? Recovery => store.Recovery;

        public override IStoreScans Scans => scans;

        public override HashSession Start(string? name) => store.StartSession(name);

        public override HashSession Continue(string name) => store.ContinueSession(name, out _);

        public override bool Forget(string name) => store.ForgetSession(name);

        public override Task<Commit> CommitAsync(CommitKind kind, bool withIndex) =>
            store.CommitAsync(kind, withIndex, default);

        public override Task CheckpointIndexAsync() => store.CheckpointIndexAsync(default);

        public override Task ResizeAsync(bool grow) =>
            grow ? store.GrowIndexAsync(default) : store.ShrinkIndexAsync(default);

        public override ValueTask DisposeAsync() => store.DisposeAsync();
    }
}
