namespace Faster.Benchmarks.Operations;

/// <summary>The operations of F2.</summary>
public class F2Benchmarks : OperationBenchmarks<F2Forms>;
