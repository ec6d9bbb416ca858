using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;

namespace Faster.Benchmarks.Micro;

/// <summary>How the micro-benchmarks run: each in a process of its own, with what it allocates.</summary>
internal static class MicroConfig
{
    /// <summary>BenchmarkDotNet's defaults, with allocations and operations a second.</summary>
    public static IConfig Create() => DefaultConfig.Instance
        .AddDiagnoser(MemoryDiagnoser.Default)
        .AddColumn(StatisticColumn.OperationsPerSecond)
        .AddLogicalGroupRules(BenchmarkLogicalGroupRule.ByCategory)
        .HideColumns(Column.Gen0, Column.Gen1, Column.Gen2);
}
