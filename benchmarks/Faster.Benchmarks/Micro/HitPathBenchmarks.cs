using System.Collections.Concurrent;
using BenchmarkDotNet.Attributes;
using Faster.Workload;

namespace Faster.Benchmarks.Micro;

/// <summary>
/// The in-memory paths of one session, uniform keys that all exist, against a concurrent dictionary. An operation is
/// one key; in-memory paths must show no allocation.
/// </summary>
[CategoriesColumn]
public class HitPathBenchmarks
{
    private const int Chunk = KeyStream.ChunkLength;

    private ConcurrentDictionary<long, long> _dictionary = null!;
    private KeyStream _stream = null!;

    /// <summary>How many keys are loaded.</summary>
    [ParamsSource(nameof(KeyCounts))]
    public int Keys { get; set; }

    /// <summary>One million, or what the environment variable FASTER_BENCH_KEYS lists, separated by commas.</summary>
    public static IEnumerable<int> KeyCounts => MicroKeys.Counts;

    /// <summary>Loads the dictionary.</summary>
    [GlobalSetup(Targets = [nameof(DictionaryRead), nameof(DictionaryUpsert), nameof(DictionaryRmw), nameof(DictionaryDelete)])]
    public void LoadDictionary()
    {
        DrawKeys();
        _dictionary = new(Environment.ProcessorCount, Keys);
        for (long key = 0; key < Keys; key++)
            _dictionary[key] = key;
    }

    /// <summary>Reads by <c>TryGetValue</c>.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long DictionaryRead()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            _dictionary.TryGetValue(key, out long value);
            sum += value;
        }

        return sum;
    }

    /// <summary>Overwrites by the indexer.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public void DictionaryUpsert()
    {
        foreach (long key in _stream.Take())
            _dictionary[key] = key;
    }

    /// <summary>Adds by <c>AddOrUpdate</c>.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void DictionaryRmw()
    {
        foreach (long key in _stream.Take())
            _dictionary.AddOrUpdate(key, static (_, amount) => amount, static (_, old, amount) => old + amount, 1L);
    }

    /// <summary>Removes and adds again: an operation is the pair.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Delete+Upsert")]
    public void DictionaryDelete()
    {
        foreach (long key in _stream.Take())
        {
            _dictionary.TryRemove(key, out _);
            _dictionary[key] = key;
        }
    }

    private void DrawKeys() =>
        _stream = KeyStream.Draw(new RunSettings(OperationKind.Read, KeyDistribution.Uniform, Keys, 1, 1))[0];
}
