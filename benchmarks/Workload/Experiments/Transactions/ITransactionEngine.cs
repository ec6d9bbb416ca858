namespace Faster.Workload.Experiments.Transactions;

/// <summary>A store of numbers by numbers that runs transactions over several of them.</summary>
internal interface ITransactionEngine : IEngine
{
    /// <summary>Whether no update is lost; false for a loop without locks.</summary>
    bool IsSerializable => true;

    /// <summary>How many attempts have met another one's locks so far; null where the engine does not tell.</summary>
    long? Conflicts => null;

    /// <summary>The same work without locks, to compare with; null if there is none. The caller closes it.</summary>
    ITransactionEngine? OpenYardstick(int keys) => null;

    /// <summary>
    /// What shows the cost of its tail or its log; null if it has neither. The caller loads and closes it.
    /// </summary>
    Task<TransactionReferences?> OpenReferencesAsync(int keys) => Task.FromResult<TransactionReferences?>(null);

    /// <summary>Gives each key itself as its first value.</summary>
    void Load(int keys);

    /// <summary>Starts a client, to be used by one thread at a time.</summary>
    ITransactionWorker StartTransactions();

    /// <summary>Starts a client that has transactions under way.</summary>
    /// <param name="depth">How many.</param>
    /// <exception cref="NotSupportedException">Calls of this engine wait.</exception>
    IAwaitedTransactions StartAwaited(int depth) =>
        throw new NotSupportedException("Transactions of this engine can't be awaited: its calls wait.");

    /// <summary>Commits the store, and ends when the commit is durable.</summary>
    /// <exception cref="NotSupportedException">The engine does not commit.</exception>
    Task CommitAsync() => throw new NotSupportedException("This engine has no commits beside its transactions.");

    /// <inheritdoc/>
    IWorker IEngine.StartWorker() => throw new NotSupportedException("This engine is measured by transactions.");
}

/// <summary>A client that runs transactions.</summary>
internal interface ITransactionWorker : IDisposable
{
    /// <summary>How many of its attempts have met another one's locks; null where the engine does not tell.</summary>
    long? Conflicts => null;

    /// <summary>Runs one transaction until it is committed.</summary>
    /// <param name="reads">The keys that are read.</param>
    /// <param name="updates">The keys to whose values the amount is added.</param>
    /// <param name="amount">The amount.</param>
    /// <returns>The sum of the values that were read.</returns>
    /// <remarks>All keys differ, but in groups of transactions, which only peers are given.</remarks>
    long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount);
}

/// <summary>A client that has several transactions under way, each in a slot. One call at a time.</summary>
internal interface IAwaitedTransactions : IDisposable
{
    /// <summary>Begins a transaction, as of <see cref="ITransactionWorker.Run"/>, in a slot that is free.</summary>
    void Begin(int slot, ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount);

    /// <summary>Ends when the transaction of a slot is acknowledged; the slot is free then.</summary>
    /// <returns>The sum of the values that were read.</returns>
    ValueTask<long> EndAsync(int slot);
}

/// <summary>Engines that run beside another one of theirs, so that its parts show as differences.</summary>
/// <param name="Plain">The same engine without tail and without log: its commits are CPR's.</param>
/// <param name="WithTail">
/// <paramref name="Plain"/>, the same store, each of whose transactions also appends to a tail; null if the engine has
/// no tail that could be added alone.
/// </param>
internal sealed record TransactionReferences(ITransactionEngine Plain, ITransactionEngine? WithTail);
