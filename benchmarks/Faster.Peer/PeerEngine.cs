using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>FASTER C# with its log in memory, sized so that every record stays in the mutable region.</summary>
internal sealed class PeerEngine : IEngine
{
    private readonly NullDevice _device = new();
    private readonly FasterKVSettings<long, long> _settings;
    private readonly FasterKV<long, long> _store;
    private readonly PeerMode _mode;

    /// <summary>Opens an empty store.</summary>
    public PeerEngine(PeerMode mode, int keys)
    {
        const int RecordBytes = 24;
        _mode = mode;
        _settings = PeerSettings.Create(mode, keys, keys * (long)RecordBytes, _device);
        _store = new FasterKV<long, long>(_settings);
    }

    /// <inheritdoc/>
    public string Name => _mode == PeerMode.Best ? "faster-cs-best" : "faster-cs-safe";

    /// <inheritdoc/>
    public IWorker StartWorker() => PeerSessions.StartWorker(_store, _mode);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _store.Dispose();
        _settings.Dispose();
        _device.Dispose();
        return ValueTask.CompletedTask;
    }
}
