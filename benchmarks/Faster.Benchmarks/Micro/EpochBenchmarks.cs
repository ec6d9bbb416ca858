using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Benchmarks.Micro;

/// <summary>The cost of epoch protection for an operation, and of a bump for its caller.</summary>
[SuppressMessage("Design", "CA1001", Justification = "BenchmarkDotNet calls Close; it does not dispose.")]
public unsafe class EpochBenchmarks
{
    private const int Times = 1024;

    private EpochTable _table = null!;
    private EpochSlot* _slot;

    /// <summary>Makes a table with one session.</summary>
    [GlobalSetup]
    public void Open()
    {
        _table = new EpochTable();
        _slot = _table.Acquire("a benchmark");
        _table.Enter(_slot);
        _slot->Quiet = _table.Current;
        _table.Leave(_slot);
    }

    /// <summary>Frees the table.</summary>
    [GlobalCleanup]
    public void Close()
    {
        _table.Release(_slot);
    }

    /// <summary>Enters and leaves.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Times)]
    public void EnterLeave()
    {
        for (int i = 0; i < Times; i++)
        {
            _table.Enter(_slot);
            _table.Leave(_slot);
        }
    }

    /// <summary>Enters an epoch noted as quiet, as a hit does, and leaves.</summary>
    [Benchmark(OperationsPerInvoke = Times)]
    public int EnterQuietLeave()
    {
        int quiet = 0;
        for (int i = 0; i < Times; i++)
        {
            if (EpochTable.TryEnterQuiet(_slot)) quiet++;
            _table.Leave(_slot);
        }

        return quiet;
    }

    /// <summary>Bumps the epoch with an action, which runs at once: a process-wide barrier.</summary>
    [Benchmark]
    public void Bump()
    {
        _table.Bump(static () => { });
        _slot->Quiet = _table.Current;
    }
}
