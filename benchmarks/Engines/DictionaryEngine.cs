using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>A concurrent dictionary, with capacity for all keys from the start.</summary>
internal sealed class DictionaryEngine(ConcurrentDictionary<long, long> dictionary) : IEngine, IWorker
{
    /// <summary>Makes an empty dictionary.</summary>
    public DictionaryEngine(int keys)
        : this(new ConcurrentDictionary<long, long>(Environment.ProcessorCount, keys))
    {
    }

    /// <inheritdoc/>
    public long? MemoryBytes => GC.GetTotalMemory(forceFullCollection: false);

    /// <inheritdoc/>
    public IWorker StartWorker() => this;

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (!dictionary.TryGetValue(key, out long value))
                ThrowLost(key);
            sum += ValueWord.KeyOf(value);
        }

        return sum;
    }

    /// <inheritdoc/>
    public long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        foreach (long key in keys)
            absent += !dictionary.TryGetValue(key, out _) ? 1 : 0;
        return absent;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            dictionary[key] = ValueWord.Of(key) ^ mask;
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            dictionary.AddOrUpdate(key, static (_, amount) => amount, static (_, old, amount) => old + amount, 1L);
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key < 0)
                dictionary[~key] = ValueWord.Of(~key) ^ mask;
            else if (dictionary.TryGetValue(key, out long value))
                sum += ValueWord.KeyOf(value);
            else
                ThrowLost(key);
        }

        return sum;
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key < 0)
                dictionary.AddOrUpdate(
                    ~key, static (_, amount) => amount, static (_, old, amount) => old + amount, 1L);
            else if (dictionary.TryGetValue(key, out long value))
                sum += ValueWord.KeyOf(value);
            else
                ThrowLost(key);
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
            words[i] = dictionary[keys[i]];
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // A worker is the dictionary itself, which needs no clients.
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    [DoesNotReturn]
    private static void ThrowLost(long key) => throw new WrongAnswerException($"The dictionary lost key {key}.");
}
