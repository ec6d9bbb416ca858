using BenchmarkDotNet.Attributes;
using Faster.Benchmarks.Micro;
using Faster.Contracts;
using Faster.Workload;

namespace Faster.Benchmarks.Operations;

/// <summary>
/// Each operation in each form, by one session over a store in memory whose keys all exist; an operation is one key. A
/// class for each engine: filter by <c>*F2*Rmw*Async*</c>.
/// </summary>
/// <typeparam name="TForms">The engine's operations.</typeparam>
[CategoriesColumn]
public abstract class OperationBenchmarks<TForms>
    where TForms : struct, IForms<TForms>
{
    private const int Chunk = KeyStream.ChunkLength, Batch = 32;

    private readonly ReadResult<long>[] _results = new ReadResult<long>[Batch];
    private readonly long[] _ones = [.. Enumerable.Repeat(1L, Batch)];
    private TForms _forms;
    private KeyStream _stream = null!;

    /// <summary>How many keys are loaded.</summary>
    [ParamsSource(nameof(KeyCounts))]
    public int Keys { get; set; }

    /// <summary>One million, or what the environment variable FASTER_BENCH_KEYS lists, separated by commas.</summary>
    public static IEnumerable<int> KeyCounts => MicroKeys.Counts;

    /// <summary>Loads the store.</summary>
    [GlobalSetup]
    public void Load()
    {
        _stream = new KeyDraw(Keys, KeyDistribution.Uniform).Streams(1)[0];
        _forms = TForms.Open(Keys);
        for (long key = 0; key < Keys; key++) _ = _forms.Upsert(key, 1);
    }

    /// <summary>Closes the store.</summary>
    [GlobalCleanup]
    public void Close() => _forms.Close();

    /// <summary>By single calls, which return a status.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long ReadStatus()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            _ = _forms.Read(key, out long value);
            sum += value;
        }

        return sum;
    }

    /// <summary>By awaited calls, of which none waits.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public long ReadAsync()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            sum += Done(_forms.ReadAsync(key)).Value;
        }

        return sum;
    }

    /// <summary>By batches of 32.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Read")]
    public void ReadBatch()
    {
        ReadOnlySpan<long> keys = _stream.Take();
        for (int start = 0; start < keys.Length; start += Batch)
        {
            ReadOnlySpan<long> some = keys[start..Math.Min(start + Batch, keys.Length)];
            _forms.Read(some, _results.AsSpan(0, some.Length));
        }
    }

    /// <summary>By single calls, which return a status.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public long UpsertStatus()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            sum += (long)_forms.Upsert(key, key);
        }

        return sum;
    }

    /// <summary>By awaited calls, of which none waits.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public long UpsertAsync()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            sum += (long)Done(_forms.UpsertAsync(key, key));
        }

        return sum;
    }

    /// <summary>By batches of 32.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Upsert")]
    public void UpsertBatch()
    {
        ReadOnlySpan<long> keys = _stream.Take();
        for (int start = 0; start < keys.Length; start += Batch)
        {
            ReadOnlySpan<long> some = keys[start..Math.Min(start + Batch, keys.Length)];
            _forms.Upsert(some, some);
        }
    }

    /// <summary>By single calls, which return a status.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public long RmwStatus()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            sum += (long)_forms.Rmw(key, 1);
        }

        return sum;
    }

    /// <summary>By awaited calls, of which none waits.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public long RmwAsync()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            sum += (long)Done(_forms.RmwAsync(key, 1));
        }

        return sum;
    }

    /// <summary>By batches of 32.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Rmw")]
    public void RmwBatch()
    {
        ReadOnlySpan<long> keys = _stream.Take();
        for (int start = 0; start < keys.Length; start += Batch)
        {
            ReadOnlySpan<long> some = keys[start..Math.Min(start + Batch, keys.Length)];
            _forms.Rmw(some, _ones.AsSpan(0, some.Length));
        }
    }

    /// <summary>By single calls, each with an upsert, since the key must exist again.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Delete")]
    public long DeleteStatus()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            sum += (long)_forms.Delete(key) + (long)_forms.Upsert(key, 1);
        }

        return sum;
    }

    /// <summary>By awaited calls, each with an upsert.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Delete")]
    public long DeleteAsync()
    {
        long sum = 0;
        foreach (long key in _stream.Take())
        {
            sum += (long)Done(_forms.DeleteAsync(key)) + (long)Done(_forms.UpsertAsync(key, 1));
        }

        return sum;
    }

    /// <summary>By batches of 32, each with one of upserts.</summary>
    [Benchmark(OperationsPerInvoke = Chunk), BenchmarkCategory("Delete")]
    public void DeleteBatch()
    {
        ReadOnlySpan<long> keys = _stream.Take();
        for (int start = 0; start < keys.Length; start += Batch)
        {
            ReadOnlySpan<long> some = keys[start..Math.Min(start + Batch, keys.Length)];
            _forms.Delete(some);
            _forms.Upsert(some, some);
        }
    }

    private static T Done<T>(ValueTask<T> task) =>
        task.IsCompletedSuccessfully ? task.Result : throw new InvalidOperationException("All keys are in memory.");
}
