using FASTER.core;
using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Peer;

/// <summary>FASTER C# with its log and checkpoints in a folder, and enough memory for all of the log.</summary>
internal sealed class PeerCommitEngine : ICommitEngine
{
    private readonly IDevice _device;
    private readonly FasterKVSettings<long, long> _settings;
    private readonly FasterKV<long, long> _store;
    private readonly PeerMode _mode;

    /// <summary>Opens an empty store, or recovers the last checkpoint.</summary>
    public PeerCommitEngine(PeerMode mode, string folder, StoreSize size, bool recover)
    {
        _mode = mode;
        _device = Devices.CreateLogDevice(Path.Combine(folder, "hlog.log"));
        _settings = PeerSettings.Roomy<long>(mode, size.Keys, size.LogBytes, _device);
        _settings.CheckpointDir = folder;
        _store = new FasterKV<long, long>(_settings);
        if (recover)
            _store.Recover();
    }

    /// <inheritdoc/>
    public long LogBytes => _store.Log.TailAddress - _store.Log.BeginAddress;

    /// <inheritdoc/>
    public IWorker StartWorker() => PeerSessions.StartWorker(_store, _mode);

    /// <inheritdoc/>
    public async Task CommitAsync(CommitForm form, bool withIndex)
    {
        CheckpointType type = form == CommitForm.FoldOver ? CheckpointType.FoldOver : CheckpointType.Snapshot;
        (bool success, _) = withIndex
            ? await _store.TakeFullCheckpointAsync(type)
            : await _store.TakeHybridLogCheckpointAsync(type);
        if (!success)
            throw new InvalidOperationException("The peer refused to take a checkpoint: another one is under way.");
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _store.Dispose();
        _settings.Dispose();
        _device.Dispose();
        return ValueTask.CompletedTask;
    }
}
