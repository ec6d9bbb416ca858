using Faster.Workload.Experiments;

namespace Faster.Ycsb.Limits;

/// <summary>All measurements of the machine, in their order.</summary>
/// <param name="threads">The thread counts for memory.</param>
/// <param name="seconds">How long each measurement takes.</param>
/// <param name="tell">Hears of each result.</param>
internal sealed class LimitSuite(IReadOnlyList<int> threads, double seconds, Action<LimitResult> tell)
{
    private const int MemoryChunk = 4096;
    private const int LineBytes = 64;
    private const int PrefetchAhead = 16;
    private const int RingChunk = 64;

    private static readonly int[] Depths = [1, 32, 128];
    private static readonly int[] BlockBytes = [4096, 512];

    private readonly List<LimitResult> _results = [];

    /// <summary>What was measured.</summary>
    public IReadOnlyList<LimitResult> Results => _results;

    /// <summary>Measures memory, on huge pages or without them.</summary>
    public void Memory(long bytes, bool huge)
    {
        using var memory = new LimitMemory(bytes, huge);
        if (memory.IsHuge != huge)
            return;
        foreach (int count in threads)
        {
            void Add(string name, Func<int, LimitLoop> loopOf, string places = "random") => Report(
                new Shape(name, places, memory.Lines, count, LineBytes, 1, huge),
                LimitRun.Measure(count, seconds, MemoryChunk, loopOf));
            Add("dependent-read", memory.Dependent);
            Add("independent-read", _ => memory.Independent(0));
            if (System.Runtime.Intrinsics.X86.Sse.IsSupported)
                Add("prefetched-read", _ => memory.Independent(PrefetchAhead));
            Add("two-step-read", _ => memory.Pairs());
            Add("increment", _ => memory.Increments());
            Add("increment", _ => memory.OneLine(), "one line");
        }
    }

    /// <summary>Measures the disk below a folder.</summary>
    /// <returns>Whether the page cache was bypassed.</returns>
    public bool Disk(string folder, long bytes)
    {
        using var disk = new LimitDisk(folder, bytes);
        void Add(string name, string places, int block, int depth, int chunk, Func<int, LimitLoop> loopOf) => Report(
            new Shape(name, places, bytes / block, depth, block, depth, null),
            LimitRun.Measure(depth, seconds, chunk, loopOf));
        // Once through all of it first: what was never written is read faster than any disk.
        _ = disk.Sequential(writes: true)(0, disk.SequentialSteps);
        disk.Sync();
        Add("disk-write", "sequential", LimitBuffers.SequentialBytes, 1, 1, _ => disk.Sequential(writes: true));
        Add("disk-read", "sequential", LimitBuffers.SequentialBytes, 1, 1, _ => disk.Sequential(writes: false));
        foreach (int block in BlockBytes)
        {
            foreach (int depth in Depths)
                Add("disk-read", "random", block, depth, 1, thread => disk.Random(block, thread));
        }

        Add("disk-write-sync", "sequential", BlockBytes[0], 1, 1, _ => disk.Synced(BlockBytes[0]));
        Ring(folder, bytes);
        return disk.IsDirect;
    }

    // What one thread gets out of the disk; the others above have a thread for each read under way.
    private void Ring(string folder, long bytes)
    {
        using var ring = LimitRing.TryCreate(folder, bytes);
        if (ring is null)
            return;
        foreach (int block in BlockBytes)
        {
            foreach (int depth in Depths)
            {
                Report(
                    new Shape("ring-read", "random", bytes / block, 1, block, depth, null),
                    LimitRun.Measure(1, seconds, RingChunk, _ => ring.Random(block, depth)));
            }
        }
    }

    private void Report(Shape shape, double perSecond)
    {
        var result = new LimitResult
        {
            Engine = "machine", Workload = shape.Name, Distribution = shape.Places,
            Keys = (int)Math.Min(shape.Count, int.MaxValue), Threads = shape.Threads, OperationsPerSecond = perSecond,
            Bytes = shape.Bytes, Depth = shape.Depth, HugePages = shape.Huge,
        };
        _results.Add(result);
        tell(result);
    }

    private readonly record struct Shape(
        string Name, string Places, long Count, int Threads, int Bytes, int Depth, bool? Huge);
}
