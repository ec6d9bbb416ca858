using FASTER.core;
using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Peer;

/// <summary>
/// FASTER C#: in memory, sized so that every record stays in the mutable region, or with a budget over a file.
/// </summary>
internal sealed class PeerEngine<TValue> : ICompactingEngine
    where TValue : unmanaged
{
    private const int CacheLine = 64;

    private readonly IDevice _device;
    private readonly FasterKVSettings<long, TValue> _settings;
    private readonly FasterKV<long, TValue> _store;
    private readonly PeerMode _mode;
    private readonly PeerCompactor<TValue>? _compactor;

    /// <summary>Opens an empty store.</summary>
    public PeerEngine(PeerMode mode, string folder, EngineShape shape)
    {
        _mode = mode;
        int emptyPages = 0;
        if (shape.MemoryBytes is null)
        {
            _device = new NullDevice();
            _settings = PeerSettings.Roomy<TValue>(
                mode, shape.Keys, PeerSettings.LogBytes(shape), _device, shape.IndexBytes);
        }
        else
        {
            _device = Devices.CreateLogDevice(Path.Combine(folder, "hlog.log"));
            _settings = PeerSettings.Tight<TValue>(mode, shape, _device, out emptyPages);
        }

        _store = new FasterKV<long, TValue>(_settings);
        if (emptyPages != 0)
            _store.Log.SetEmptyPageCount(emptyPages);
        if (shape is { MemoryBytes: not null, DiskBytes: { } disk })
            _compactor = new PeerCompactor<TValue>(_store, disk);
    }

    /// <inheritdoc/>
    public long? MemoryBytes =>
        _store.Log.TailAddress - _store.Log.HeadAddress + (CacheLine * (_store.IndexSize + _store.OverflowBucketCount));

    /// <inheritdoc/>
    public long LogBytes => _store.Log.TailAddress - _store.Log.BeginAddress;

    /// <inheritdoc/>
    public Task CompactAsync(long bytes, CompactionMethod method) => Task.Run(() =>
    {
        using var compactor = PeerSessions.StartSession<TValue, AtomicAdder>(_store, new PeerSink());
        long until = _store.Log.BeginAddress + bytes;
        _store.Log.ShiftReadOnlyAddress(until, wait: true); // what is still updated in place can't be compacted
        _ = compactor.Compact(
            until, method == CompactionMethod.Scan ? CompactionType.Scan : CompactionType.Lookup);
        _store.Log.Truncate();
    });

    /// <inheritdoc/>
    public IWorker StartWorker() => PeerSessions.StartWorker(_store, _mode, _compactor);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _compactor?.Dispose();
        _store.Dispose();
        _settings.Dispose();
        _device.Dispose();
        return ValueTask.CompletedTask;
    }
}
