using System.Numerics;
using FASTER.core;

namespace Faster.Peer;

/// <summary>How the peer's stores are set up.</summary>
internal static class PeerSettings
{
    private const int IndexBytesPerKey = 32;
    private const long LeastLogBytes = 1L << 27;
    private const double FullestMutable = 0.8;

    /// <summary>An index that fits the keys, and memory for a log of a length, all of which stays mutable.</summary>
    public static FasterKVSettings<long, long> Create(PeerMode mode, int keys, long logBytes, IDevice device) => new()
    {
        IndexSize = RoundUp(keys * (long)IndexBytesPerKey),
        LogDevice = device,
        MemorySize = Math.Max(LeastLogBytes, RoundUp((long)(logBytes / FullestMutable))),
        ConcurrencyControlMode =
            mode == PeerMode.Best ? ConcurrencyControlMode.None : ConcurrencyControlMode.LockTable,
    };

    private static long RoundUp(long bytes) => (long)BitOperations.RoundUpToPowerOf2((ulong)bytes);
}
