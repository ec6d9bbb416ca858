using System.Numerics;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>How the peer's stores are set up.</summary>
internal static class PeerSettings
{
    private const int IndexBytesPerKey = 32;
    private const int TightIndexBytesPerKey = 8; // an entry; with chains where tags collide, the peer's own measure
    private const long MinLogBytes = 1L << 27;
    private const double FullestMutable = 0.8;
    private const int RecordOverhead = 16;
    private const int MaxPageBits = 25;
    private const int MinPages = 32;

    /// <summary>
    /// An index that fits the keys, or of a size that is asked for, and memory for a log of a length, all of which
    /// stays mutable.
    /// </summary>
    public static FasterKVSettings<long, TValue> Roomy<TValue>(
        PeerMode mode, long keys, long logBytes, IDevice device, long? indexBytes = null) => new()
        {
            IndexSize = indexBytes ?? RoundUp(keys * IndexBytesPerKey),
            LogDevice = device,
            MemorySize = Math.Max(MinLogBytes, RoundUp((long)(logBytes / FullestMutable))),
            ConcurrencyControlMode = ModeOf(mode),
        };

    /// <summary>
    /// A budget for index and log: the index gets what it needs, but no more than half, and the log the rest.
    /// </summary>
    /// <param name="mode">How the store is used.</param>
    /// <param name="shape">What it must hold.</param>
    /// <param name="device">Its device.</param>
    /// <param name="emptyPages">
    /// How many pages of the log's memory must stay empty, because the peer takes powers of two only.
    /// </param>
    public static FasterKVSettings<long, TValue> Tight<TValue>(
        PeerMode mode, EngineShape shape, IDevice device, out int emptyPages)
    {
        long budget = shape.MemoryBytes!.Value;
        long index = Math.Min(RoundUp(shape.Keys * TightIndexBytesPerKey), RoundUp((budget / 2) + 1) / 2);
        long log = RoundUp(budget - index);
        int pageBits = Math.Clamp(BitOperations.Log2((ulong)log / MinPages), 12, MaxPageBits);
        emptyPages = (int)((log - (budget - index)) >> pageBits);
        return new FasterKVSettings<long, TValue>
        {
            IndexSize = index,
            LogDevice = device,
            MemorySize = log,
            PageSize = 1L << pageBits,
            ConcurrencyControlMode = ModeOf(mode),
        };
    }

    /// <summary>The length of a log of all records.</summary>
    public static long LogBytes(EngineShape shape) => shape.Keys * (RecordOverhead + shape.ValueBytes + 7 & ~7L);

    private static ConcurrencyControlMode ModeOf(PeerMode mode) =>
        mode == PeerMode.Best ? ConcurrencyControlMode.None : ConcurrencyControlMode.LockTable;

    private static long RoundUp(long bytes) => (long)BitOperations.RoundUpToPowerOf2((ulong)bytes);
}
