using System.Collections.Concurrent;
using Faster.Workload;

namespace Faster.Benchmarks.Engines;

/// <summary>A concurrent dictionary with room for all keys from the start.</summary>
internal sealed class DictionaryEngine(int keys) : IEngine, IWorker
{
    private readonly ConcurrentDictionary<long, long> _dictionary = new(Environment.ProcessorCount, keys);

    /// <inheritdoc/>
    public string Name => "dictionary";

    /// <inheritdoc/>
    public IWorker StartWorker() => this;

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (!_dictionary.TryGetValue(key, out long value))
                throw new WrongAnswerException($"The dictionary lost key {key}.");
            sum += value;
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            _dictionary[key] = key ^ mask;
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            _dictionary.AddOrUpdate(key, static (_, amount) => amount, static (_, old, amount) => old + amount, 1L);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // A worker is the dictionary itself, which needs no clients.
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
