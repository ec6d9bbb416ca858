using CountStore.Input;

namespace CountStore.Counting;

/// <summary>Is shown a key and a count of it. The key is valid during the call only.</summary>
internal delegate void CountVisitor(ReadOnlySpan<byte> key, long count);

/// <summary>Counts keys, from several threads at once.</summary>
internal interface ICounter : IAsyncDisposable
{
    /// <summary>What lies where.</summary>
    StoreUse Use { get; }

    /// <summary>A worker for one further thread.</summary>
    ICountWorker StartWorker();

    /// <summary>
    /// Shows every key at least once, when no worker counts. Counts only grow, so of several counts of one key, older
    /// versions of its record, the largest is the truth.
    /// </summary>
    void Visit(CountVisitor visitor);
}

/// <summary>One thread's part in a counter.</summary>
internal interface ICountWorker : IDisposable
{
    /// <summary>How many keys of its share an earlier run has counted durably.</summary>
    long KeysCounted { get; }

    /// <summary>
    /// Passes over keys that an earlier run has counted, and counts those of them again whose updates were lost.
    /// </summary>
    /// <param name="batch">The batch.</param>
    /// <param name="count">How many of its keys, from the first one on.</param>
    /// <param name="before">How many keys of the share come before the batch.</param>
    void Pass(KeyBatch batch, int count, long before);

    /// <summary>Counts keys of a batch once more.</summary>
    /// <param name="batch">The batch.</param>
    /// <param name="first">Those before this one are counted already.</param>
    void Count(KeyBatch batch, int first = 0);

    /// <summary>Waits until everything that this worker counted is in.</summary>
    void Finish();

    /// <summary>Reads the counts of a batch's keys; 0 for a key that was never counted.</summary>
    ValueTask ReadAsync(KeyBatch batch, long[] counts);
}
