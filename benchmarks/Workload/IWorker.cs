namespace Faster.Workload;

/// <summary>
/// One client of an engine. Each call works through a whole chunk of keys in a loop of the engine's own, so that the
/// call through this interface does not show in the figures.
/// </summary>
internal interface IWorker : IDisposable
{
    /// <summary>Reads each key.</summary>
    /// <returns>The sum of the values, wrapping around.</returns>
    long Read(ReadOnlySpan<long> keys);

    /// <summary>Sets the value of each key to the key exclusive-or <paramref name="mask"/>.</summary>
    void Upsert(ReadOnlySpan<long> keys, long mask);

    /// <summary>Adds one to the value of each key.</summary>
    void Rmw(ReadOnlySpan<long> keys);
}
