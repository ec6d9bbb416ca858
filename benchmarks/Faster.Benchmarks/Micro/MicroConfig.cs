using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;

namespace Faster.Benchmarks.Micro;

/// <summary>
/// How the micro-benchmarks run: each in a process of its own, with what it allocates and, if asked for, its machine
/// code.
/// </summary>
/// <remarks>
/// The JIT lists what it compiles itself: BenchmarkDotNet's own disassembler does not know this version of .NET.
/// </remarks>
internal static class MicroConfig
{
    private const string ListingFile = "FASTER_BENCH_LISTING";
    private const string Methods = "*Benchmarks:* Execute RunPart RunQuiet Enter* Leave Find* TryAllocate";

    /// <summary>
    /// BenchmarkDotNet's defaults, with allocations and operations a second; the environment variable
    /// FASTER_BENCH_LISTING names a file to which the compiled methods of the hit paths are added.
    /// </summary>
    public static IConfig Create()
    {
        IConfig config = DefaultConfig.Instance
            .AddDiagnoser(MemoryDiagnoser.Default)
            .AddColumn(StatisticColumn.OperationsPerSecond)
            .AddLogicalGroupRules(BenchmarkLogicalGroupRule.ByCategory)
            .HideColumns(Column.Gen0, Column.Gen1, Column.Gen2);
        if (Environment.GetEnvironmentVariable(ListingFile) is not { Length: > 0 } file) return config;
        return config.AddJob(Job.Default
            .WithEnvironmentVariable("DOTNET_JitDisasm", Methods)
            .WithEnvironmentVariable("DOTNET_JitStdOutFile", Path.GetFullPath(file)));
    }
}
