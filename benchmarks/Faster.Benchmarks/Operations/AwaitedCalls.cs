using BenchmarkDotNet.Attributes;

namespace Faster.Benchmarks.Operations;

/// <summary>By awaited calls, of which none waits.</summary>
/// <inheritdoc/>
public class AwaitedCalls<TForms, TOperation> : OperationBenchmarks<TForms, TOperation>
    where TForms : struct, IForms<TForms>
    where TOperation : struct, IOperation
{
    [Benchmark(OperationsPerInvoke = Chunk)]
    public long Run()
    {
        long sum = 0;
        foreach (long key in NextKeys()) sum += TOperation.Await(Forms, key);
        return sum;
    }
}
