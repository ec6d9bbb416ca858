using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.InMemory;

namespace Faster.Benchmarks.Micro;

/// <summary>Allocates space for a record of 24 bytes, page turns included, from the two kinds of allocators.</summary>
[SuppressMessage("Design", "CA1001", Justification = "BenchmarkDotNet calls Close; it does not dispose.")]
public class AllocationBenchmarks
{
    private const int Times = 4096, RecordSize = 24, PageBits = 21, Pages = 16;

    private readonly HashSeed _seed = new(1, 2);
    private EpochTable _epochs = null!;
    private HybridLog _log = null!;
    private InMemoryAllocator _memory = null!;
    private FreeLists _lists = null!;

    /// <summary>Makes a log whose pages count as written at once, and an allocator in memory.</summary>
    [GlobalSetup]
    public void Open()
    {
        var schema = new RecordSchema(8, 8, 8, "number", "number");
        _epochs = new EpochTable();
        var sink = new InstantSink();
        _log = new HybridLog(_epochs, sink, new LogShape(schema, _seed, PageBits, Pages, 0.9));
        sink.Log = _log;
        _memory = new InMemoryAllocator(_epochs, schema, _seed, reserve: 1 << 30, limit: 1 << 30);
        _lists = new FreeLists();
    }

    /// <summary>Frees both.</summary>
    [GlobalCleanup]
    public void Close()
    {
        _log.Dispose();
        _memory.Dispose();
    }

    /// <summary>At the tail of the log: a fetch-and-add, and once for each page its turn.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Times)]
    public long LogTail()
    {
        long last = 0;
        for (int i = 0; i < Times; i++)
        {
            while (!_log.TryAllocate(null, RecordSize, out last)) _log.WaitForSpace();
        }

        return last;
    }

    /// <summary>From a session's free list, and back.</summary>
    [Benchmark(OperationsPerInvoke = Times)]
    public long FreeList()
    {
        long last = 0;
        for (int i = 0; i < Times; i++)
        {
            if (!_memory.TryAllocate(_lists, RecordSize, out last)) throw new InvalidOperationException("No room.");
            _memory.Free(_lists, last, RecordSize, everLinked: false);
        }

        return last;
    }

    /// <summary>Takes pages for written as soon as they are immutable.</summary>
    private sealed class InstantSink : IPageSink
    {
        public HybridLog? Log { get; set; }

        public int SectorSize => 512;

        public bool HasFailed => false;

        public void Wake() => Log!.OnFlushed(Log.SafeImmutableAddress);

        public void ThrowIfFailedAgain() { }
    }
}
