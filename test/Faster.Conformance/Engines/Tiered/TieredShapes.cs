using Faster.Conformance.Contract;
using Faster.Devices;

namespace Faster.Conformance.Engines.Tiered;

/// <summary>
/// The configurations of the engine F2: small hot logs, so that records move all the time; with and without a read
/// cache, in memory and on files, and with records that expire. A page holds the longest value of the suites.
/// </summary>
internal static class TieredShapes
{
    private static readonly TieredOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = ByteSize.KiB(32), ReadCacheFraction = 0,
        HotLogSize = ByteSize.KiB(512), ExpectedColdKeys = 10_000,
    };

    private static readonly Dictionary<string, (TieredOptions Options, bool OnFiles)> Known = new()
    {
        ["two tiers"] = (Small, false),
        ["two tiers on files"] = (Small with { CompactionThreads = 2, ExpectedColdKeys = 200_000 }, true),
        ["two tiers with read cache"] = (Small with { ReadCacheFraction = 0.75 }, false),
        ["two tiers of records that expire"] = (Small with { TimeToLive = TimeSpan.FromDays(1) }, false),
    };

    /// <summary>All shapes.</summary>
    public static IReadOnlyList<EngineShape> All { get; } =
    [
        .. Known.Select(known => new EngineShape(
            known.Key, known.Value.Options.MemoryBudget, Spills: true,
            IsTypical: known.Key is "two tiers on files" or "two tiers with read cache")),
    ];

    /// <summary>A shape's options.</summary>
    public static TieredOptions OptionsOf(EngineShape shape, string folder, long expectedKeys)
    {
        (TieredOptions options, bool onFiles) = Known[shape.Name];
        options = options with { ExpectedHotKeys = Math.Max(expectedKeys, 1) };
        return !onFiles ? options : options with
        {
            // The cold index stays in memory: with a read of it for each cold key the suites would take minutes more.
            HotDevice = Files(folder, "hot"), ColdDevice = Files(folder, "cold"),
        };
    }

    private static SegmentedFileDevice Files(string folder, string name) =>
        new(Directory.CreateDirectory(Path.Combine(folder, name)).FullName, ByteSize.GiB(1).Bytes);
}
