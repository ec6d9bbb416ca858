namespace Faster.MemoryProbe.Bounds;

/// <summary>What a store may take, as docs/guide/operations.md says.</summary>
/// <param name="Engine">The engine.</param>
/// <param name="Memory">The memory budget in bytes.</param>
/// <param name="Disk">The disk budget in bytes.</param>
internal readonly record struct Bounds(string Engine, long Memory, long Disk)
{
    private const long RuntimeNoise = 10 << 20, TieredNoise = 16 << 20; // two tiers have twice the threads

    /// <summary>The most bytes that the segments of the logs may have.</summary>
    public long MostLogs => BoundedStore.HasFiles(Engine) ? (Disk * 11 / 10) + Load.LargestBytes : 0;

    /// <summary>
    /// The most bytes that the other files may have: three checkpoints of the index, which is at most half of the
    /// memory.
    /// </summary>
    public long MostOthers => BoundedStore.HasFiles(Engine) ? Memory * 3 / 2 : 0;

    /// <summary>The most by which the process may grow over an open, empty store.</summary>
    public long MostGrowth => (Memory * 11 / 10) + (BoundedStore.IsTiered(Engine) ? TieredNoise : RuntimeNoise);
}
