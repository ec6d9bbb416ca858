namespace Faster;

/// <summary>Options for opening a store of the engine HotRing. The defaults suit a small service.</summary>
public sealed record HotRingOptions : EngineOptions
{
    /// <summary>Makes the default options, with a <see cref="EngineOptions.CloseTimeout"/> of 10 seconds.</summary>
    public HotRingOptions() => CloseTimeout = TimeSpan.FromSeconds(10);

    /// <summary>The smallest <see cref="EngineOptions.MemoryBudget"/> that a store can work with: 256 KiB.</summary>
    public static ByteSize MinMemoryBudget => ByteSize.KiB(256);

    /// <summary>
    /// The number of rings, rounded up to a power of two; 0 for one for each of <see cref="ExpectedKeys"/>. A ring
    /// costs 8 bytes.
    /// </summary>
    public long Buckets { get; init; }

    /// <summary>The number of keys to size the index for; 0 for a small index that grows on its own.</summary>
    public long ExpectedKeys { get; init; }

    /// <summary>How the store finds the hottest record of a ring.</summary>
    public HotspotStrategy Strategy { get; init; } = HotspotStrategy.StatisticalSampling;

    /// <summary>
    /// R of the paper (§3.2): after how many operations of a session it considers whether the hotspot of a ring has
    /// shifted; from 1 to 65,536. It waits for up to 16 times as many while the memory accesses of operations stay the
    /// same.
    /// </summary>
    public int HotspotInterval { get; init; } = 5;

    /// <summary>
    /// The average number of memory accesses of an operation, the head's included, above which the index is doubled
    /// (§3.4), at least 2; <see cref="double.PositiveInfinity"/> for an index that keeps its size.
    /// </summary>
    /// <remarks>An access of the hottest record of a ring counts 2. The index takes at most half of the
    /// budget.</remarks>
    public double MaxAccesses { get; init; } = 2.5;

    internal void Validate()
    {
        if (MemoryBudget < MinMemoryBudget)
            throw OutOfRange(nameof(MemoryBudget), MemoryBudget, $"at least {MinMemoryBudget}");
        if (MemoryBudget > ByteSize.GiB(1 << 16))
            throw OutOfRange(nameof(MemoryBudget), MemoryBudget, "at most 64 TiB");
        if (Buckets < 0) throw OutOfRange(nameof(Buckets), Buckets, "0 or more");
        if (ExpectedKeys < 0) throw OutOfRange(nameof(ExpectedKeys), ExpectedKeys, "0 or more");
        if (!Enum.IsDefined(Strategy)) throw OutOfRange(nameof(Strategy), Strategy, "one of HotspotStrategy");
        if (HotspotInterval is < 1 or > 1 << 16)
            throw OutOfRange(nameof(HotspotInterval), HotspotInterval, "1 to 65,536");
        if (!(MaxAccesses >= 2)) throw OutOfRange(nameof(MaxAccesses), MaxAccesses, "2 or more");
        if (CloseTimeout <= TimeSpan.Zero) throw OutOfRange(nameof(CloseTimeout), CloseTimeout, "above zero");
    }

    private static ArgumentOutOfRangeException OutOfRange(string option, object value, string expected) =>
        new(option, value, $"HotRingOptions.{option} must be {expected}.");
}
