using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>How our stores are opened for a shape.</summary>
internal static class ValueOptions
{
    /// <summary>How many operations a session may have under way at once; the peers have as many.</summary>
    public const int MaxPending = 128;

    private const int RecordOverhead = 24;
    private const int IndexBytesPerKey = 48;
    private const int Slack = 2;
    private const long Least = 64L << 20;

    /// <summary>The budget of the shape; without one, space for everything, nearly all of it mutable.</summary>
    public static StoreOptions Of(EngineShape shape) => new()
    {
        MemoryBudget = MemoryOf(shape),
        DiskBudget = new ByteSize(shape.DiskBytes ?? 0),
        ExpectedKeys = shape.Keys,
        MaxPendingPerSession = MaxPending,
        CompactionThreads = shape.CompactionThreads,
        CommitOnDispose = false, // a commit would take time, and change what a recovery finds
    };

    /// <summary>The same, for a store in two tiers.</summary>
    public static TieredOptions TieredOf(EngineShape shape) => new()
    {
        MemoryBudget = MemoryOf(shape),
        DiskBudget = new ByteSize(shape.DiskBytes ?? 0),
        ExpectedColdKeys = shape.Keys,
        CommitOnDispose = false,
    };

    private static ByteSize MemoryOf(EngineShape shape) => new(shape.MemoryBytes ?? Math.Max(
        Least, shape.Keys * ((Slack * (RecordOverhead + shape.ValueBytes)) + IndexBytesPerKey)));
}
