namespace Faster.Workload;

/// <summary>
/// One client of an engine. Each call works through a whole chunk of keys in a loop of the engine's own, so that the
/// call through this interface does not show in the figures.
/// </summary>
/// <remarks>
/// Values begin with a <see cref="ValueWord"/>. What reads return is the sum of the keys that the values tell, wrapping
/// around; of reads that wait for a disk, a later call may return their part, and <see cref="Finish"/> the rest.
/// </remarks>
internal interface IWorker : IDisposable
{
    /// <summary>How many operations one call of the engine takes.</summary>
    int CallLength => 1;

    /// <summary>Reads each key.</summary>
    long Read(ReadOnlySpan<long> keys);

    /// <summary>Reads keys that were never loaded, and counts those that the engine calls absent.</summary>
    /// <exception cref="InvalidOperationException">This client can't.</exception>
    long CountAbsent(ReadOnlySpan<long> keys) => throw new InvalidOperationException(
        "Only engines in memory with values of 8 bytes, engines used by batches and FASTER C# read absent keys. "
        + "Leave this one or the workload 'absent' out.");

    /// <summary>Sets the word of each key's value to the one that was loaded, exclusive-or a mark.</summary>
    void Upsert(ReadOnlySpan<long> keys, long mask);

    /// <summary>Adds one to the word of each key's value.</summary>
    void Rmw(ReadOnlySpan<long> keys);

    /// <summary>Reads each key that is not negative; upserts the complement of each negative one with a mark.</summary>
    long Mixed(ReadOnlySpan<long> keys, long mask);

    /// <summary>Reads each key that is not negative; adds one to the word of the complement of each other.</summary>
    long MixedRmw(ReadOnlySpan<long> keys);

    /// <summary>Reads the words of the keys' values, to check them: its speed does not matter.</summary>
    void Fetch(ReadOnlySpan<long> keys, Span<long> words);

    /// <summary>Waits for all that this client has under way.</summary>
    long Finish() => 0;

    /// <summary>
    /// Has the next operation's time recorded when it ends; false where operations end before their calls return, so
    /// that the caller can take the time.
    /// </summary>
    bool TryWatchNext(LatencyHistogram latencies) => false;
}
