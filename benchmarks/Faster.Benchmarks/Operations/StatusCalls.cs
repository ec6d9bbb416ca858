using BenchmarkDotNet.Attributes;

namespace Faster.Benchmarks.Operations;

/// <summary>By single calls, which return a status.</summary>
/// <inheritdoc/>
public class StatusCalls<TForms, TOperation> : OperationBenchmarks<TForms, TOperation>
    where TForms : struct, IForms<TForms>
    where TOperation : struct, IOperation
{
    [Benchmark(OperationsPerInvoke = Chunk)]
    public long Run()
    {
        long sum = 0;
        foreach (long key in NextKeys()) sum += TOperation.Call(Forms, key);
        return sum;
    }
}
