using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Faster.Contracts;
using Faster.Workload.Engines;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;
using Faster.Engines;
using Faster.Operations;
using Faster.Workload;

namespace Faster.Benchmarks.Micro;

/// <summary>
/// A generated session against a loop written by hand for just these keys and values, over the same epochs, index and
/// log: what the generated layers cost.
/// </summary>
[CategoriesColumn]
[SuppressMessage("Design", "CA1001", Justification = "BenchmarkDotNet calls Close; it does not dispose.")]
public unsafe class GeneratedBenchmarks
{
    private const int Chunk = KeyStream.ChunkLength;

    private FasterStore _engine = null!;
    private FasterSession _raw = null!;
    private Numbers.Store _store = null!;
    private Numbers.Session _session = null!;
    private SingleWorker<NumberSession> _worker = null!;
    private EpochSlot* _slot;
    private KeyStream _stream = null!;

    /// <summary>How many keys are loaded.</summary>
    [ParamsSource(nameof(KeyCounts))]
    public int Keys { get; set; }

    /// <summary>One million, or what the environment variable FASTER_BENCH_KEYS lists, separated by commas.</summary>
    public static IEnumerable<int> KeyCounts => MicroKeys.Counts;

    /// <summary>Loads a generated store, and one that is used by hand.</summary>
    [GlobalSetup]
    public void Load()
    {
        _stream = new KeyDraw(Keys, KeyDistribution.Uniform).Streams(1)[0];
        _store = Numbers.OpenAsync(null, NumbersOptions.For(Keys)).AsTask().GetAwaiter().GetResult();
        _session = _store.StartSession();
        _worker = new SingleWorker<NumberSession>(new(_session));
        for (long key = 0; key < Keys; key++) _worker.Upsert([key], mask: 0);

        var schema = new RecordSchema(8, 8, 8, "number", "number");
        _engine = FasterStore.OpenAsync(null, NumbersOptions.For(Keys), schema, default)
            .AsTask().GetAwaiter().GetResult();
        _raw = _engine.StartSession();
        for (long key = 0; key < Keys; key++)
        {
            var put = new WordWrite(key);
            StoreStatus.RequireOk(_raw.Upsert(new UnmanagedKey<long>(key), ref put));
        }

        _slot = _raw.Slot;
    }

    /// <summary>Closes both.</summary>
    [GlobalCleanup]
    public void Close()
    {
        _raw.Dispose();
        _engine.Dispose();
        _session.Dispose();
        _store.Dispose();
    }

    /// <summary>Reads by hand.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long ReadByHand()
    {
        long sum = 0;
        EpochTable epochs = _engine.Epochs;
        RecordAllocator log = _engine.Log;
        HashSeed seed = _engine.Tier.Seed;
        foreach (long key in _stream.Take())
        {
            byte* record = EnterAndFind(epochs, log, seed, key);
            sum += Volatile.Read(ref *(long*)(record + 16));
            _slot->Serial++;
            epochs.Leave(_slot);
        }

        return sum;
    }

    /// <summary>Reads by the generated session.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long ReadGenerated() => _worker.Read(_stream.Take());

    /// <summary>Adds one by hand, atomically.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void RmwByHand()
    {
        EpochTable epochs = _engine.Epochs;
        RecordAllocator log = _engine.Log;
        HashSeed seed = _engine.Tier.Seed;
        foreach (long key in _stream.Take())
        {
            byte* record = EnterAndFind(epochs, log, seed, key);
            ref long value = ref *(long*)(record + 16);
            long old = value;
            while (!AtomicValue.TrySwap(ref value, old + 1, old, out old)) { }
            _slot->Serial++;
            epochs.Leave(_slot);
        }
    }

    /// <summary>Adds one by the generated session.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void RmwGenerated() => _worker.Rmw(_stream.Take());

    private byte* EnterAndFind(EpochTable epochs, RecordAllocator log, HashSeed seed, long key)
    {
        if (!EpochTable.TryEnterQuiet(_slot))
            throw new InvalidOperationException("The store is not at rest.");
        long address = QuietView.Of(_slot)->FindFirst(KeyHash.Of((ulong)key, seed));
        byte* record = log.Pointer(address);
        const ulong Dead = RecordHeader.Tombstone | RecordHeader.Sealed;
        if (address == 0 || *(long*)(record + 8) != key || (RecordHeader.Read(record) & Dead) != 0)
            throw new InvalidOperationException($"Key {key} is not where it was loaded.");
        return record;
    }
}
