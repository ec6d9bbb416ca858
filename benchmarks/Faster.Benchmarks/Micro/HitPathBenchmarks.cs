using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Faster.Workload.Engines;
using Faster.Workload;

namespace Faster.Benchmarks.Micro;

/// <summary>
/// The in-memory paths of one session, uniform keys that all exist, against a concurrent dictionary. An operation is
/// one key; in-memory paths must show no allocation.
/// </summary>
[CategoriesColumn]
[SuppressMessage("Design", "CA1001", Justification = "BenchmarkDotNet calls Close; it does not dispose.")]
public class HitPathBenchmarks
{
    private const int Chunk = KeyStream.ChunkLength;

    private DictionaryEngine _dictionary = null!;
    private ConcurrentDictionary<long, long> _pairs = null!;
    private Numbers.Store _store = null!;
    private Numbers.Session _session = null!;
    private SingleWorker<NumberSession> _single = null!;
    private BatchWorker<NumberSession> _batch = null!;
    private KeyStream _stream = null!;

    /// <summary>How many keys are loaded.</summary>
    [ParamsSource(nameof(KeyCounts))]
    public int Keys { get; set; }

    /// <summary>One million, or what the environment variable FASTER_BENCH_KEYS lists, separated by commas.</summary>
    public static IEnumerable<int> KeyCounts => MicroKeys.Counts;

    /// <summary>Loads the dictionary.</summary>
    [GlobalSetup(Targets =
    [
        nameof(DictionaryRead), nameof(DictionaryUpsert), nameof(DictionaryRmw), nameof(DictionaryDelete),
    ])]
    public void LoadDictionary()
    {
        DrawKeys();
        _pairs = new(Environment.ProcessorCount, Keys);
        _dictionary = new DictionaryEngine(_pairs);
        AnswerCheck.Load(_dictionary, Keys);
    }

    /// <summary>Loads the store.</summary>
    [GlobalSetup(Targets =
    [
        nameof(Read), nameof(ReadAsync), nameof(ReadBatch), nameof(Upsert), nameof(UpsertAsync), nameof(UpsertBatch),
        nameof(Rmw), nameof(RmwAsync), nameof(RmwBatch), nameof(Delete),
    ])]
    public void LoadStore()
    {
        DrawKeys();
        // Not awaited: the in-process toolchain goes on before an asynchronous set-up has ended.
        _store = Numbers.OpenAsync(null, NumbersOptions.For(Keys)).AsTask().GetAwaiter().GetResult();
        _session = _store.StartSession();
        _single = new SingleWorker<NumberSession>(new(_session));
        _batch = new BatchWorker<NumberSession>(new(_session));
        for (long key = 0; key < Keys; key++)
            _single.Upsert([key], mask: 0);
    }

    /// <summary>Closes the store.</summary>
    [GlobalCleanup]
    public async Task Close()
    {
        _session?.Dispose();
        if (_store is not null)
            await _store.DisposeAsync();
    }

    /// <summary>Reads by <c>TryGetValue</c>.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long DictionaryRead() => _dictionary.Read(_stream.Take());

    /// <summary>Reads by the status-returning call.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long Read() => _single.Read(_stream.Take());

    /// <summary>Reads by the <c>ValueTask</c> call.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long ReadAsync()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
            sum += AtOnce(_session.ReadAsync(key)).Value;
        return sum;
    }

    /// <summary>Reads by batches.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long ReadBatch() => _batch.Read(_stream.Take());

    /// <summary>Overwrites by the indexer.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public void DictionaryUpsert() => _dictionary.Upsert(_stream.Take(), mask: 0);

    /// <summary>Overwrites by the status-returning call.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public void Upsert() => _single.Upsert(_stream.Take(), mask: 0);

    /// <summary>Overwrites by the <c>ValueTask</c> call.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public void UpsertAsync()
    {
        foreach (long key in _stream.Take())
            _ = AtOnce(_session.UpsertAsync(key, key));
    }

    /// <summary>Overwrites by batches.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public void UpsertBatch() => _batch.Upsert(_stream.Take(), mask: 0);

    /// <summary>Adds by <c>AddOrUpdate</c>.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void DictionaryRmw() => _dictionary.Rmw(_stream.Take());

    /// <summary>Adds by the status-returning call.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void Rmw() => _single.Rmw(_stream.Take());

    /// <summary>Adds by the <c>ValueTask</c> call.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void RmwAsync()
    {
        foreach (long key in _stream.Take())
            _ = AtOnce(_session.RmwAsync(key, 1));
    }

    /// <summary>Adds by batches.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void RmwBatch() => _batch.Rmw(_stream.Take());

    /// <summary>Removes and adds again: an operation is the pair.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Chunk), BenchmarkCategory("Delete+Upsert")]
    public void DictionaryDelete()
    {
        foreach (long key in _stream.Take())
        {
            _pairs.TryRemove(key, out _);
            _pairs[key] = key;
        }
    }

    /// <summary>Deletes and upserts again: an operation is the pair.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Delete+Upsert")]
    public void Delete()
    {
        foreach (long key in _stream.Take())
        {
            StoreStatus.RequireOk(_session.Delete(key));
            StoreStatus.RequireOk(_session.Upsert(key, key));
        }
    }

    private static T AtOnce<T>(ValueTask<T> task) => task.IsCompletedSuccessfully
        ? task.Result
        : throw new WrongAnswerException("An operation on a key in memory did not complete at once.");

    private static void AtOnce(ValueTask task)
    {
        if (!task.IsCompletedSuccessfully)
            throw new WrongAnswerException("An operation on a key in memory did not complete at once.");
    }

    private void DrawKeys() =>
        _stream = new KeyDraw(Keys, KeyDistribution.Uniform).Streams(1)[0];
}
