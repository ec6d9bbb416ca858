using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Workload;

namespace Faster.Benchmarks.Micro;

/// <summary>Hashing a key, and finding its entry in the index: random keys that all exist.</summary>
[SuppressMessage("Design", "CA1001", Justification = "BenchmarkDotNet calls Close; it does not dispose.")]
public unsafe class IndexBenchmarks
{
    private const int Chunk = KeyStream.ChunkLength;
    private const double Fill = 0.75 * HashBucket.EntryCount;

    private readonly HashSeed _seed = new(0x243F6A8885A308D3, 0x13198A2E03707344);
    private EpochTable _epochs = null!;
    private HashIndex _index = null!;
    private QuietView _quiet;
    private KeyStream _stream = null!;

    /// <summary>How many keys are loaded.</summary>
    [ParamsSource(nameof(KeyCounts))]
    public int Keys { get; set; }

    /// <summary>One million, or what the environment variable FASTER_BENCH_KEYS lists, separated by commas.</summary>
    public static IEnumerable<int> KeyCounts => MicroKeys.Counts;

    /// <summary>Fills an index to three quarters.</summary>
    [GlobalSetup]
    public void Load()
    {
        _epochs = new EpochTable();
        _index = new HashIndex(_epochs, (long)(Keys / Fill) + 1) { ByteLimit = long.MaxValue };
        _ = _quiet.TryUse(_index);
        for (long key = 0; key < Keys; key++)
        {
            ulong hash = Hash(key);
            _ = _index.TryLocate(hash, out BucketRef bucket);
            _ = _index.TryInsert(bucket.Bucket, HashBits.TagOf(hash), key + 64);
        }

        _stream = new KeyDraw(Keys, KeyDistribution.Uniform).Streams(1)[0];
    }

    /// <summary>Frees the index.</summary>
    [GlobalCleanup]
    public void Close()
    {
        _index.Dispose();
    }

    /// <summary>The hash alone.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk)]
    public ulong HashKey()
    {
        ulong sum = 0;
        foreach (long key in _stream.Take()) sum += Hash(key);
        return sum;
    }

    /// <summary>The entry in the first bucket of its chain, as a hit looks for it.</summary>
    [Benchmark(OperationsPerInvoke = Chunk)]
    public long FindFirst()
    {
        long sum = 0;
        fixed (QuietView* quiet = &_quiet)
            foreach (long key in _stream.Take()) sum += quiet->FindFirst(Hash(key));
        return sum;
    }

    /// <summary>The entry wherever it is, whatever the index is at.</summary>
    [Benchmark(OperationsPerInvoke = Chunk)]
    public ulong Find()
    {
        ulong sum = 0;
        foreach (long key in _stream.Take())
        {
            ulong hash = Hash(key);
            _ = _index.TryLocate(hash, out BucketRef bucket);
            _ = HashIndex.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
            sum += word;
        }

        return sum;
    }

    private ulong Hash(long key) => KeyHash.Of((ulong)key, _seed);
}
