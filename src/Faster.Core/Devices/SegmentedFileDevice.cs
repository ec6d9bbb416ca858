using Faster.Devices;

namespace Faster;

/// <summary>
/// A device over a folder of files of one size, <c>log.000000000000</c>, <c>log.000000000001</c>, …, transferred
/// without the system's cache where the file system allows it: by io_uring where the kernel allows that, else by
/// blocking calls on threads of its own.
/// </summary>
/// <remarks>
/// FASTER §5.2–5.3. Touches the disk at the first request, not before. Invariants: no request crosses a segment (one
/// that would is refused); each transfer is whole or fails; after a failed sync no sync succeeds. Locks nothing: that
/// only one process writes the folder is the store's duty. Thread-safe as <see cref="Device"/> says.
/// </remarks>
public sealed class SegmentedFileDevice : Device
{
    /// <summary>How many blocking transfers run at a time unless said otherwise.</summary>
    public const int DefaultWorkers = 32;

    internal static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(5);

    private const int MostQueues = 64; // an open file and some 20 KiB of the kernel's memory each

    private readonly RingCalls? _ringCalls;
    private readonly SegmentFiles _files;
    private readonly SegmentRoute _route;
    private readonly IoQueue _queue;
    private int _queues;

    /// <summary>A device over a folder, which is created by the first write where it does not exist.</summary>
    /// <param name="folder">The folder of the segments.</param>
    /// <param name="segmentSize">
    /// The bytes of a segment, a multiple of the sector size. Fixed once data is there.
    /// </param>
    /// <param name="sectorSize">The unit of transfers in bytes, a power of two from 512.</param>
    /// <param name="workers">The most blocking transfers at a time; io_uring needs no threads.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache where that is possible.</param>
    /// <param name="io">How to transfer.</param>
    /// <exception cref="ArgumentException">A size is out of range.</exception>
    /// <exception cref="StoreOpenException">io_uring was demanded, and the system refuses it.</exception>
    public SegmentedFileDevice(
        string folder, long segmentSize, int sectorSize = 512, int workers = DefaultWorkers, bool unbuffered = true,
        IoMode io = IoMode.Auto)
        : this(folder, segmentSize, sectorSize, workers, unbuffered, FileCalls.Real, IdleLimit, io)
    {
    }

    // The lock on the folder is held until no write is under way any more (FolderLock).
    internal SegmentedFileDevice(
        string folder, long segmentSize, int sectorSize, int workers, bool unbuffered, FileCalls calls, TimeSpan idle,
        IoMode io, FolderLock? folderLock = null, int mostOpen = SegmentFiles.DefaultMostOpen)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(segmentSize);
        ArgumentOutOfRangeException.ThrowIfLessThan(workers, 1);
        SectorSize = RequestCheck.SectorSize(sectorSize);
        if (segmentSize % sectorSize != 0)
            throw new ArgumentException($"A segment is a multiple of the sector, {sectorSize}.", nameof(segmentSize));
        SegmentSize = segmentSize;
        Name = folder;
        _files = new SegmentFiles(folder, unbuffered, calls, folderLock, mostOpen);
        _route = new SegmentRoute(_files, segmentSize, sectorSize, folder);
        string? refusal = "this system has none.";
        if (io != IoMode.RandomAccess && calls.Ring is { } ring && RingSupport.Of(ring, out refusal))
        {
            _ringCalls = ring;
            _queue = RingQueue.TryCreate(ring, _route, ownerWaits: false, folderLock?.Handle, out refusal)!;
        }

        if (_queue is null && io == IoMode.IoUring)
            throw new StoreOpenException($"'{folder}' can't be used by io_uring: {refusal} Use IoMode.Auto instead.");
        _queue ??= new WorkerQueue(_route, calls, workers, idle);
    }

    /// <inheritdoc/>
    public override int SectorSize { get; }

    /// <summary>The folder.</summary>
    public override string Name { get; }

    /// <summary>The bytes of a segment.</summary>
    public long SegmentSize { get; }

    /// <summary>
    /// Whether transfers bypass the system's cache: true until the platform or the file system refused.
    /// </summary>
    public bool IsUnbuffered => _files.IsUnbuffered;

    /// <summary>How it transfers: by io_uring or by blocking calls.</summary>
    public IoMode Io => _queue is RingQueue ? IoMode.IoUring : IoMode.RandomAccess;

    /// <summary>How many files are open now.</summary>
    internal int OpenFiles => _files.OpenCount;

    /// <summary>How many worker threads exist now.</summary>
    internal int Workers => _queue is WorkerQueue workers ? workers.Threads : 0;

    /// <inheritdoc/>
    public override (string Place, long Offset) Locate(long offset) =>
        (_files.PathOf(offset / SegmentSize), offset % SegmentSize);

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IoRequest> requests) => _queue.Submit(requests);

    /// <inheritdoc/>
    public override int Poll(Span<IoRequest> completed) => _queue.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout) => _queue.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _queue.Wake();

    /// <inheritdoc/>
    public override void Sync() => _files.Sync();

    /// <summary>Gives up the bytes below an offset: deletes the segments that lie wholly below it.</summary>
    /// <param name="offset">The offset in bytes on the device.</param>
    /// <exception cref="StorageException">A file could not be deleted; a later call tries again.</exception>
    public override void TruncateBelow(long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        _files.TruncateBelow(offset / SegmentSize);
    }

    /// <inheritdoc/>
    internal override IoQueue? TryOpenQueue()
    {
        if (_ringCalls is null || _queue is not RingQueue) return null;
        if (Interlocked.Increment(ref _queues) <= MostQueues
            && RingQueue.TryCreate(_ringCalls, _route, ownerWaits: true, held: null, out _) is { } queue) return queue;
        Interlocked.Decrement(ref _queues);
        return null;
    }

    /// <inheritdoc/>
    internal override void CloseQueue(IoQueue queue)
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
