using Faster.Devices.Folders;
using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Faster.Devices.Workers;

namespace Faster.Devices;

/// <summary>
/// A device over a folder of files of one size, <c>log.000000000000</c>, <c>log.000000000001</c>, …, transferred
/// without the system's cache where the file system allows it: by io_uring where the kernel allows that, otherwise by
/// blocking calls on its own threads.
/// </summary>
/// <remarks>
/// <para>FASTER §5.2–5.3. Does not touch the disk before the first request. Invariants:</para>
/// <list type="bullet">
/// <item>No request crosses a segment (one that would is refused).</item>
/// <item>Each transfer is complete or fails.</item>
/// <item>After a failed sync no sync succeeds.</item>
/// </list>
/// <para>Locks nothing: the store must ensure that only one process writes to the folder. Thread-safe as
/// <see cref="Device"/> requires.</para>
/// </remarks>
public sealed class SegmentedFileDevice : Device
{
    /// <summary>The default maximum number of concurrent blocking transfers.</summary>
    public const int DefaultWorkers = 32;

    internal static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(5);

    private const int MaxQueues = 64; // each costs an open file and about 20 KiB of the kernel's memory

    private readonly RingCalls? _ringCalls;
    private readonly SegmentFiles _files;
    private readonly SegmentRoute _route;
    private readonly IOQueue _queue;
    private readonly BlockingTransfers _transfers;
    private int _queues;

    /// <summary>Creates a device over a folder; the first write creates the folder where it does not exist.</summary>
    /// <param name="folder">The folder of the segments.</param>
    /// <param name="segmentSize">
    /// The size of a segment in bytes, a multiple of the sector size. It must not change once there is data.
    /// </param>
    /// <param name="sectorSize">The unit of transfers in bytes, a power of two from 512.</param>
    /// <param name="workers">The maximum number of concurrent blocking transfers; io_uring needs no threads.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache where that is possible.</param>
    /// <param name="io">How to transfer.</param>
    /// <exception cref="ArgumentException">A size is out of range.</exception>
    /// <exception cref="StoreOpenException">io_uring was required, and the system refuses it.</exception>
    public SegmentedFileDevice(
        string folder, long segmentSize, int sectorSize = 512, int workers = DefaultWorkers, bool unbuffered = true,
        IOMode io = IOMode.Auto)
        : this(
            folder, SegmentFiles.DefaultName, segmentSize, sectorSize, workers, unbuffered, FileCalls.Real, IdleLimit,
            io)
    {
    }

    // The lock on the folder is held until no write is in flight any more (FolderLock).
    internal SegmentedFileDevice(
        string folder, string name, long segmentSize, int sectorSize, int workers, bool unbuffered, FileCalls calls,
        TimeSpan idle, IOMode io, FolderLock? folderLock = null, int mostOpen = SegmentFiles.DefaultMostOpen)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(segmentSize);
        ArgumentOutOfRangeException.ThrowIfLessThan(workers, 1);
        SectorSize = RequestCheck.SectorSize(sectorSize);
        if (segmentSize % sectorSize != 0)
            throw new ArgumentException($"A segment is a multiple of the sector, {sectorSize}.", nameof(segmentSize));
        SegmentSize = segmentSize;
        Name = folder;
        _files = new SegmentFiles(folder, name, unbuffered, calls, folderLock, mostOpen);
        _route = new SegmentRoute(_files, segmentSize, sectorSize, folder);
        _transfers = new BlockingTransfers(_route, calls);
        string? refusal = "this system has none.";
        if (io != IOMode.RandomAccess && calls.Ring is { } ring && RingSupport.Of(ring, out refusal))
        {
            _ringCalls = ring;
            _queue = RingQueue.TryCreate(ring, _route, ownerWaits: false, folderLock?.Handle, out refusal)!;
        }

        if (_queue is null && io == IOMode.IoUring)
            throw new StoreOpenException($"'{folder}' can't be used by io_uring: {refusal} Use IOMode.Auto instead.");
        _queue ??= new WorkerQueue(_route, calls, workers, idle);
    }

    /// <inheritdoc/>
    public override int SectorSize { get; }

    /// <summary>The path of the folder.</summary>
    public override string Name { get; }

    /// <summary>The size of a segment in bytes.</summary>
    public long SegmentSize { get; }

    /// <summary>
    /// Whether transfers bypass the system's cache: true until the platform or the file system refused.
    /// </summary>
    public bool IsUnbuffered => _files.IsUnbuffered;

    /// <summary>How the device transfers: by io_uring or by blocking calls.</summary>
    public IOMode IOMode => _queue is RingQueue ? IOMode.IoUring : IOMode.RandomAccess;

    /// <summary>The current number of open files.</summary>
    internal int OpenFiles => _files.OpenCount;

    /// <summary>The current number of worker threads.</summary>
    internal int Workers => _queue is WorkerQueue workers ? workers.Threads : 0;

    /// <inheritdoc/>
    public override (string Place, long Offset) Locate(long offset) =>
        (_files.PathOf(offset / SegmentSize), offset % SegmentSize);

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IORequest> requests) => _queue.Submit(requests);

    /// <inheritdoc/>
    public override int Poll(Span<IORequest> completed) => _queue.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout) => _queue.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _queue.Wake();

    /// <inheritdoc/>
    public override void Sync() => _files.Sync();

    /// <summary>Truncates the bytes below an offset: deletes the segments that lie entirely below it.</summary>
    /// <param name="offset">The offset in bytes on the device.</param>
    /// <exception cref="StorageException">A file could not be deleted; a later call retries.</exception>
    public override void TruncateBelow(long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        _files.TruncateBelow(offset / SegmentSize);
    }

    /// <inheritdoc/>
    internal override bool TryTransfer(IORequest request)
    {
        _transfers.Run(request);
        return true;
    }

    /// <inheritdoc/>
    internal override IOQueue? TryOpenQueue()
    {
        if (_ringCalls is null || _queue is not RingQueue) return null;
        if (Interlocked.Increment(ref _queues) <= MaxQueues
            && RingQueue.TryCreate(_ringCalls, _route, ownerWaits: true, held: null, out _) is { } queue) return queue;
        Interlocked.Decrement(ref _queues);
        return null;
    }

    /// <inheritdoc/>
    internal override IOQueue? TryJoinQueue(IOQueue queue) =>
        _queue is RingQueue && queue is RingQueue ring ? new JoinedRingQueue(ring, _route) : null;

    /// <inheritdoc/>
    internal override void CloseQueue(IOQueue queue)
    {
        queue.Dispose();
        Interlocked.Decrement(ref _queues);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (!disposing) return;
        _queue.Dispose();
        _files.Dispose();
    }
}
