using System.Collections.Concurrent;
using Faster.Workload;

namespace Faster.Engines;

/// <summary>A concurrent dictionary, with room for all keys from the start.</summary>
internal sealed class DictionaryEngine(ConcurrentDictionary<long, long> dictionary) : IEngine, IWorker
{
    /// <summary>Makes an empty dictionary.</summary>
    public DictionaryEngine(int keys)
        : this(new ConcurrentDictionary<long, long>(Environment.ProcessorCount, keys))
    {
    }

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
            if (!dictionary.TryGetValue(key, out long value))
                throw new WrongAnswerException($"The dictionary lost key {key}.");
            sum += value;
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            dictionary[key] = key ^ mask;
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            dictionary.AddOrUpdate(key, static (_, amount) => amount, static (_, old, amount) => old + amount, 1L);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // A worker is the dictionary itself, which needs no clients.
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
