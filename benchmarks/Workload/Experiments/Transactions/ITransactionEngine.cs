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

    /// <summary>Gives each key itself as its first value.</summary>
    void Load(int keys);

    /// <summary>Starts a client, to be used by one thread at a time.</summary>
    ITransactionWorker StartTransactions();

    /// <summary>Commits the store, and ends when the commit is durable.</summary>
    /// <exception cref="NotSupportedException">The engine does not commit.</exception>
    Task CommitAsync() => throw new NotSupportedException("This engine has no commits beside its transactions.");

    /// <inheritdoc/>
    IWorker IEngine.StartWorker() => throw new NotSupportedException("This engine is measured by transactions.");
}

/// <summary>A client that runs transactions.</summary>
internal interface ITransactionWorker : IDisposable
{
    /// <summary>Runs one transaction until it is committed. All keys differ.</summary>
    /// <param name="reads">The keys that are read.</param>
    /// <param name="updates">The keys to whose values the amount is added.</param>
    /// <param name="amount">The amount.</param>
    /// <returns>The sum of the values that were read.</returns>
    long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount);
}
