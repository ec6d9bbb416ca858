using Faster.Checkpoints.Snapshots;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Memory;

namespace Faster.Analytics.Scans;

/// <summary>
/// Copies ranges of a log's pages, one at a time, without blocking a thread: from memory, under an epoch that is left
/// before the copy is used; from the device, verified; or from the snapshots of a commit.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A range lies in one page. A page is evicted only after it has been flushed, so memory or the device has it,
/// unless the log was truncated.</item>
/// <item>The store is kept open only during a load.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
/// <param name="source">The log that is read.</param>
/// <param name="snapshots">The snapshots that are read instead of the log from their first address on; or null.</param>
internal sealed class LogPages(LogSource source, SnapshotPages? snapshots = null) : IDisposable
{
    private NativeBlock? _block;
    private unsafe byte* _bytes;

    /// <summary>The bytes loaded last; valid until the next load.</summary>
    public unsafe byte* Bytes => _bytes;

    /// <summary>
    /// Loads the bytes between two addresses of one page, all of which are immutable or in the snapshots.
    /// </summary>
    /// <exception cref="DamagedDataException">A block on the device, or of a snapshot, is damaged.</exception>
    /// <exception cref="StorageException">The device cannot be read.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public async ValueTask LoadAsync(long from, long to)
    {
        Invariant.Check(
            from >= 0 && to > from && to <= source.Log.PageEndOf(from), $"{from} to {to} lie in one page");
        source.Guard.Enter();
        try
        {
            _block ??= new NativeBlock(source.Storage.Geometry.PageStride);
            long ofLog = snapshots is null ? to : Math.Clamp(snapshots.FromAddress, from, to);
            if (ofLog > from) await LoadLogAsync(from, ofLog).ConfigureAwait(false);
            if (ofLog < to) await Task.Run(() => LoadSnapshots(from, ofLog, to)).ConfigureAwait(false);
        }
        finally
        {
            source.Guard.Leave();
        }
    }

    /// <summary>Releases the buffer. Idempotent.</summary>
    public void Dispose()
    {
        _block?.Dispose();
        _block = null;
    }

    private async ValueTask LoadLogAsync(long from, long to)
    {
        if (TryCopy(from, to)) return;
        BlockExtent extent = source.Storage.Geometry.Map(from, (int)(to - from), source.Storage.Device.SectorSize);
        await BeginRead(extent).ConfigureAwait(false);
        Decode(extent);
    }

    // Appends the part that the log does not have.
    private unsafe void LoadSnapshots(long from, long ofLog, long to)
    {
        if (ofLog == from) _bytes = _block!.Pointer;
        snapshots!.Load(ofLog, to, _bytes + (ofLog - from));
    }

    private unsafe bool TryCopy(long from, long to)
    {
        _bytes = _block!.Pointer;
        return PageCopy.TryFromMemory(source.Core.Epochs, "a scan", source.Log, from, to, _block!.Pointer);
    }

    private unsafe Task BeginRead(BlockExtent extent)
    {
        var read = new PageRead();
        source.Storage.BeginRead(read, extent, _block!.Pointer);
        return read.Done;
    }

    private unsafe void Decode(BlockExtent extent) => _bytes = source.Storage.Decode(extent, _block!.Pointer);

    private sealed class PageRead : LogRequest
    {
        private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Done => _done.Task;

        public override void OnCompleted()
        {
            if (Error is { } error) _done.SetException(error);
            else _done.SetResult();
        }
    }
}
