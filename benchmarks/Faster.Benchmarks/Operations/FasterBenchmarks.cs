namespace Faster.Benchmarks.Operations;

/// <summary>The operations of FASTER.</summary>
public class FasterBenchmarks : OperationBenchmarks<FasterForms>;
