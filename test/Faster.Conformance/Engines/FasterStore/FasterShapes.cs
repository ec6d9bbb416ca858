using Faster.Conformance.Contract;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>
/// The configurations of the FASTER store: every allocator, small pages and budgets, memory and files.
/// </summary>
internal static class FasterShapes
{
    // Longer than any test: until then, records that expire behave like others.
    private static readonly TimeSpan OneDay = TimeSpan.FromDays(1);

    // With pages of 4 KiB in a budget of 1 MiB regions shift all the time.
    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(1),
        PageSize = ByteSize.KiB(4),
        ReadCacheFraction = 0,
    };

    private static readonly StoreOptions Reopened = Small with
    {
        MemoryBudget = ByteSize.KiB(512), SegmentSize = ByteSize.KiB(256),
        CommitOnDispose = false, // else no commit beside operations would be recovered
    };

    private static readonly Dictionary<string, (StoreOptions Options, bool OnFiles)> Known = new()
    {
        ["in memory"] = (
            new() { MemoryBudget = ByteSize.MiB(64), Allocator = RecordAllocatorKind.InMemory }, false),
        ["append only"] = (Small with { Allocator = RecordAllocatorKind.AppendOnly }, false),
        ["hybrid"] = (Small, false),
        ["hybrid, narrow mutable region"] = (Small with { MutableFraction = 0.05, PageSize = default }, false),
        ["hybrid on files"] = (Small with { SegmentSize = ByteSize.KiB(256) }, true),
        ["hybrid with read cache"] = (Small with { ReadCacheFraction = 0.75 }, false),
        ["records that expire, with read cache"] = (
            Small with { ReadCacheFraction = 0.75, TimeToLive = OneDay }, false),
        ["records that expire, in memory"] = (
            new()
            {
                MemoryBudget = ByteSize.MiB(64), Allocator = RecordAllocatorKind.InMemory, TimeToLive = OneDay,
            },
            false),
    };

    private static readonly Dictionary<string, StoreOptions> KnownDurable = new()
    {
        ["hybrid, reopened"] = Reopened,
        ["hybrid, reopened, in relaxed order"] = Reopened with
        {
            PendingOrder = PendingOrder.Relaxed, ReadCacheFraction = 0.5,
        },
        ["hybrid, reopened, each operation durable"] = Reopened with
        {
            MemoryBudget = ByteSize.MiB(1), Durability = Durability.EachOperation, OperationLogSize = ByteSize.KiB(256),
        },
    };

    /// <summary>All shapes.</summary>
    public static IReadOnlyList<EngineShape> All { get; } =
    [
        .. Known.Select(known => new EngineShape(
            known.Key,
            known.Value.Options.MemoryBudget,
            Spills: known.Value.Options.Allocator != RecordAllocatorKind.InMemory,
            IsTypical: known.Key is "in memory" or "hybrid on files" or "hybrid with read cache")),
    ];

    /// <summary>The shapes of a store whose updates merge: there no record expires.</summary>
    public static IReadOnlyList<EngineShape> Lasting { get; } =
        [.. All.Where(static shape => Known[shape.Name].Options.TimeToLive == TimeSpan.Zero)];

    /// <summary>The shapes with a log.</summary>
    public static IReadOnlyList<EngineShape> Logs { get; } = [.. All.Where(static shape => shape.Spills)];

    /// <summary>Those of them whose updates merge.</summary>
    public static IReadOnlyList<EngineShape> LastingLogs { get; } = [.. Lasting.Intersect(Logs)];

    /// <summary>The shapes that are closed without a commit, and opened again.</summary>
    public static IReadOnlyList<EngineShape> Durable { get; } =
    [
        .. KnownDurable.Select(static known => new EngineShape(known.Key, known.Value.MemoryBudget, Spills: true)
        {
            IsEachDurable = known.Value.Durability == Durability.EachOperation,
        }),
    ];

    /// <summary>A shape's options.</summary>
    public static StoreOptions OptionsOf(EngineShape shape, long expectedKeys) =>
        (KnownDurable.TryGetValue(shape.Name, out StoreOptions? durable) ? durable : Known[shape.Name].Options) with
        {
            ExpectedKeys = Math.Max(expectedKeys, 1),
        };

    /// <summary>Resizes an index unless that is refused.</summary>
    public static async Task TryResizeAsync(Func<CancellationToken, Task> resize)
    {
        try
        {
            await resize(default);
        }
        catch (LimitExceededException)
        {
            // It has its largest or smallest size.
        }
    }

    /// <summary>Where a store of a shape lives: its folder, or memory.</summary>
    public static string? PathOf(EngineShape shape, string folder) =>
        KnownDurable.ContainsKey(shape.Name) || Known[shape.Name].OnFiles ? folder : null;
}
