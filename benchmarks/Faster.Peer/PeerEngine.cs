using System.Numerics;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>FASTER C# with its log in memory, sized so that every record stays in the mutable region.</summary>
internal sealed class PeerEngine : IEngine
{
    private const long LeastLogBytes = 1L << 27;

    private readonly NullDevice _device = new();
    private readonly FasterKVSettings<long, long> _settings;
    private readonly FasterKV<long, long> _store;
    private readonly PeerMode _mode;

    /// <summary>Opens an empty store.</summary>
    public PeerEngine(PeerMode mode, int keys)
    {
        const int RecordBytes = 24;
        const int IndexBytesPerKey = 32;
        const double FullestMutable = 0.8;
        _mode = mode;
        _settings = new FasterKVSettings<long, long>
        {
            IndexSize = RoundUp(keys * (long)IndexBytesPerKey),
            LogDevice = _device,
            MemorySize = Math.Max(LeastLogBytes, RoundUp((long)(keys * RecordBytes / FullestMutable))),
            ConcurrencyControlMode =
                mode == PeerMode.Best ? ConcurrencyControlMode.None : ConcurrencyControlMode.LockTable,
        };
        _store = new FasterKV<long, long>(_settings);
    }

    /// <inheritdoc/>
    public string Name => _mode == PeerMode.Best ? "faster-cs-best" : "faster-cs-safe";

    /// <inheritdoc/>
    public IWorker StartWorker() => _mode == PeerMode.Best
        ? new UnsafeWorker(StartSession<AtomicAdder>())
        : new SafeWorker(StartSession<LockedAdder>());

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _store.Dispose();
        _settings.Dispose();
        _device.Dispose();
        return ValueTask.CompletedTask;
    }

    private ClientSession<long, long, long, long, Empty, PeerFunctions<TAdder>> StartSession<TAdder>()
        where TAdder : struct, IAdder
    {
        PeerFunctions<TAdder> functions = default;
        return _store.For(functions).NewSession<PeerFunctions<TAdder>>();
    }

    private static long RoundUp(long bytes) => (long)BitOperations.RoundUpToPowerOf2((ulong)bytes);
}
