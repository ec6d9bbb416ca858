namespace Faster.Benchmarks.Operations;

/// <summary>The operations of HotRing.</summary>
public class HotRingBenchmarks : OperationBenchmarks<HotRingForms>;
