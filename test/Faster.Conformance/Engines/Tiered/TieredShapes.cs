using Faster.Conformance.Contract;
using Faster.Devices;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>
/// The configurations of the engine F2: small hot logs, so that records move all the time; with and without a read
/// cache, in memory, in a folder beside commits, and with records that expire. The longest values of the suites take
/// several pages.
/// </summary>
internal static class TieredShapes
{
    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = ByteSize.KiB(4), ReadCacheFraction = 0,
        HotLogSize = ByteSize.KiB(512), ExpectedColdKeys = 10_000,
    };

    private static readonly TieredOptions Reopened = Small with
    {
        SegmentSize = ByteSize.KiB(256), HotLogSize = ByteSize.KiB(256),
        CommitOnDispose = false, // else no commit beside operations would be recovered
    };

    private static readonly Dictionary<string, (TieredOptions Options, bool IsInFolder)> Known = new()
    {
        ["two tiers"] = (Small, false),
        ["two tiers in a folder"] = (
            Small with
            {
                CompactionThreads = 2, ExpectedColdKeys = 200_000, CommitEvery = TimeSpan.FromMilliseconds(50),
            },
            true),
        ["two tiers with read cache"] = (Small with { ReadCacheFraction = 0.75 }, false),
        ["two tiers of records that expire"] = (Small with { TimeToLive = TimeSpan.FromDays(1) }, false),
    };

    private static readonly Dictionary<string, TieredOptions> KnownDurable = new()
    {
        ["two tiers, reopened"] = Reopened,
        ["two tiers, reopened, in relaxed order"] = Reopened with
        {
            PendingOrder = PendingOrder.Relaxed, ReadCacheFraction = 0.5, CompactionThreads = 2,
        },
        ["two tiers, reopened, each operation durable"] = Reopened with
        {
            MemoryBudget = ByteSize.MiB(3), Durability = Durability.EachOperation, OperationLogSize = ByteSize.KiB(512),
        },
    };

    /// <summary>All shapes.</summary>
    public static IReadOnlyList<EngineShape> All { get; } =
    [
        .. Known.Select(known => new EngineShape(
            known.Key, ByteSize.KiB(768), Spills: true, // the hot log's, and what the cold log has
            IsTypical: known.Key is "two tiers in a folder" or "two tiers with read cache")),
    ];

    /// <summary>The shapes that are closed without a commit, and opened again.</summary>
    public static IReadOnlyList<EngineShape> Durable { get; } =
    [
        .. KnownDurable.Select(static known => new EngineShape(known.Key, ByteSize.KiB(768), Spills: true)
        {
            IsEachDurable = known.Value.Durability == Durability.EachOperation,
        }),
    ];

    /// <summary>The shapes of a store whose updates merge: there no record expires.</summary>
    public static IReadOnlyList<EngineShape> Lasting { get; } = [.. All.Where(static shape => shape.IsTypical)];

    /// <summary>A shape's options.</summary>
    public static TieredOptions OptionsOf(EngineShape shape, long expectedKeys)
    {
        if (KnownDurable.TryGetValue(shape.Name, out TieredOptions? durable))
            return durable with { ExpectedHotKeys = Math.Max(expectedKeys, 1) };
        (TieredOptions options, bool isInFolder) = Known[shape.Name];
        options = options with { ExpectedHotKeys = Math.Max(expectedKeys, 1) };

        // The cold index stays in memory: with a read of it for each cold key the suites would take minutes more.
        return isInFolder ? options with { ColdIndexDevice = new MemoryDevice() } : options;
    }

    /// <summary>A shape's path; null for one in memory.</summary>
    public static string? PathOf(EngineShape shape, string folder) =>
        KnownDurable.ContainsKey(shape.Name) || Known[shape.Name].IsInFolder ? folder : null;
}
