using Faster;

namespace CountStore.Counting.Stores;

/// <summary>
/// A store of counts, of any engine and with keys of any kind: the generator writes a type of its own for each, so
/// each has an implementation that only passes calls on.
/// </summary>
internal interface ICountStore : IAsyncDisposable
{
    /// <summary>Raised after each commit.</summary>
    event Action<Commit>? Committed;

    /// <summary>What opening the store has recovered; null where nothing had been committed.</summary>
    RecoveryReport? Recovery { get; }

    /// <summary>What lies where.</summary>
    StoreUse Use { get; }

    /// <summary>A worker with a session.</summary>
    /// <param name="counter">The counter whose part the worker is.</param>
    /// <param name="session">The session's name; null for one that no later run goes on with.</param>
    ICountWorker StartWorker(StoreCounter counter, string? session);

    /// <summary>Commits what was counted before the call.</summary>
    Task CommitAsync(CancellationToken cancellation);

    /// <inheritdoc cref="ICounter.Visit"/>
    void Visit(CountVisitor visitor);
}
