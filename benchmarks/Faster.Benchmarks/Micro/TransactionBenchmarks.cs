using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Faster.Workload;

namespace Faster.Benchmarks.Micro;

/// <summary>
/// Transactions of one session over uniform keys that all exist, beside operations on single keys. An operation is one
/// key; nothing may allocate.
/// </summary>
[CategoriesColumn]
[SuppressMessage("Design", "CA1001", Justification = "BenchmarkDotNet calls Close; it does not dispose.")]
public class TransactionBenchmarks
{
    private const int Chunk = KeyStream.ChunkLength, KeysOfSet = 8, BatchLength = 32;

    private readonly long[] _amounts = new long[BatchLength];
    private readonly TransactionStatus[] _statuses = new TransactionStatus[BatchLength];
    private Balances.Store _store = null!;
    private Balances.Session _session = null!;
    private KeyStream _stream = null!;

    /// <summary>How many keys are loaded.</summary>
    [ParamsSource(nameof(KeyCounts))]
    public int Keys { get; set; }

    /// <summary>As of the other benchmarks.</summary>
    public static IEnumerable<int> KeyCounts => MicroKeys.Counts;

    /// <summary>Loads the store.</summary>
    [GlobalSetup]
    public void Load()
    {
        _stream = new KeyDraw(Keys, KeyDistribution.Uniform).Streams(1)[0];
        var options = new TransactionalOptions
        {
            ExpectedKeys = Keys, MemoryBudget = ByteSize.MiB(64 + (Keys >> 13)),
        };
        // Not awaited: the in-process toolchain goes on before an asynchronous set-up has ended.
        _store = Balances.OpenAsync(null, options).AsTask().GetAwaiter().GetResult();
        _session = _store.StartSession();
        for (long key = 0; key < Keys; key++) _ = _session.Upsert(key, key);
    }

    /// <summary>Closes the store.</summary>
    [GlobalCleanup]
    public async Task Close()
    {
        _session.Dispose();
        await _store.DisposeAsync();
    }

    /// <summary>Overwrites by an operation.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk)]
    public void Upsert()
    {
        foreach (long key in _stream.Take()) _ = _session.Upsert(key, key);
    }

    /// <summary>Adds by a transaction of one key.</summary>
    [Benchmark(OperationsPerInvoke = Chunk)]
    public void One()
    {
        foreach (long key in _stream.Take()) _ = _session.Add(key, 1);
    }

    /// <summary>The same in batches.</summary>
    [Benchmark(OperationsPerInvoke = Chunk)]
    public void OneBatch()
    {
        ReadOnlySpan<long> keys = _stream.Take();
        for (int i = 0; i < Chunk; i += BatchLength)
            _session.AddBatch(keys.Slice(i, BatchLength), _amounts, _statuses);
    }

    /// <summary>Reads a key by a transaction.</summary>
    [Benchmark(OperationsPerInvoke = Chunk)]
    public long ReadOne()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            _ = _session.Get(key, out long value);
            sum += value;
        }

        return sum;
    }

    /// <summary>Adds to eight keys by each transaction.</summary>
    [Benchmark(OperationsPerInvoke = Chunk)]
    public void Eight()
    {
        ReadOnlySpan<long> keys = _stream.Take();
        for (int i = 0; i < Chunk; i += KeysOfSet) _ = _session.AddAll(keys.Slice(i, KeysOfSet), 1);
    }

    /// <summary>Reads eight keys of one moment by each transaction.</summary>
    [Benchmark(OperationsPerInvoke = Chunk)]
    public long ReadEight()
    {
        long sum = 0;
        ReadOnlySpan<long> keys = _stream.Take();
        for (int i = 0; i < Chunk; i += KeysOfSet)
        {
            _ = _session.Sum(keys.Slice(i, KeysOfSet), out long value);
            sum += value;
        }

        return sum;
    }
}

/// <summary>The store of <see cref="TransactionBenchmarks"/>.</summary>
[Store(Engine = typeof(TransactionalEngine), Key = typeof(long))]
internal static partial class Balances
{
    [Transaction]
    private static void Get(in long record, out long value) => value = record;

    [Transaction]
    private static void Add(ref long record, long amount) => record += amount;

    [Transaction]
    private static void AddAll(Records<long> updated, long amount)
    {
        for (int i = 0; i < updated.Count; i++) updated[i] += amount;
    }

    [Transaction]
    private static void Sum(ReadOnlyRecords<long> read, out long sum)
    {
        sum = 0;
        for (int i = 0; i < read.Count; i++) sum += read[i];
    }
}
