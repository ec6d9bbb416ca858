using BenchmarkDotNet.Attributes;
using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>By batches of 32.</summary>
/// <inheritdoc/>
public class Batches<TForms, TOperation> : OperationBenchmarks<TForms, TOperation>
    where TForms : struct, IForms<TForms>
    where TOperation : struct, IOperation
{
    private const int Length = 32;

    private readonly ReadResult<long>[] _results = new ReadResult<long>[Length];

    [Benchmark(OperationsPerInvoke = Chunk)]
    public void Run()
    {
        ReadOnlySpan<long> keys = NextKeys();
        for (int start = 0; start < keys.Length; start += Length)
        {
            ReadOnlySpan<long> some = keys[start..Math.Min(start + Length, keys.Length)];
            TOperation.Batch(Forms, some, _results.AsSpan(0, some.Length));
        }
    }
}
