using Faster.Devices;

namespace Faster;

/// <summary>
/// A device over a folder of files of one size, <c>log.000000000000</c>, <c>log.000000000001</c>, …, transferred
/// without the system's cache where the file system allows it, by threads of its own.
/// </summary>
/// <remarks>
/// FASTER §5.2–5.3. Touches the disk at the first request, not before. Invariants: no request crosses a segment (one
/// that would is refused); each transfer is whole or fails; after a failed sync no sync succeeds. Locks nothing: that
/// only one process writes the folder is the store's duty. Thread-safe as <see cref="Device"/> says.
/// </remarks>
public sealed unsafe class SegmentedFileDevice : Device
{
    /// <summary>How many transfers run at a time unless said otherwise.</summary>
    public const int DefaultWorkers = 32;

    internal static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(5);

    private readonly CompletionQueue _completions = new();
    private readonly FileCalls _calls;
    private readonly SegmentFiles _files;
    private readonly IoWorkers _workers;

    /// <summary>A device over a folder, which is created by the first write where it does not exist.</summary>
    /// <param name="folder">The folder of the segments.</param>
    /// <param name="segmentSize">
    /// The bytes of a segment, a multiple of the sector size. Fixed once data is there.
    /// </param>
    /// <param name="sectorSize">The unit of transfers in bytes, a power of two from 512.</param>
    /// <param name="workers">The most transfers at a time: the depth that the disk sees.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache where that is possible.</param>
    /// <exception cref="ArgumentException">A size is out of range.</exception>
    public SegmentedFileDevice(
        string folder, long segmentSize, int sectorSize = 512, int workers = DefaultWorkers, bool unbuffered = true)
        : this(folder, segmentSize, sectorSize, workers, unbuffered, FileCalls.Real, IdleLimit)
    {
    }

    internal SegmentedFileDevice(
        string folder, long segmentSize, int sectorSize, int workers, bool unbuffered, FileCalls calls, TimeSpan idle)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(segmentSize);
        ArgumentOutOfRangeException.ThrowIfLessThan(workers, 1);
        SectorSize = RequestCheck.SectorSize(sectorSize);
        if (segmentSize % sectorSize != 0)
            throw new ArgumentException($"A segment is a multiple of the sector, {sectorSize}.", nameof(segmentSize));
        SegmentSize = segmentSize;
        Name = folder;
        _calls = calls;
        _files = new SegmentFiles(folder, unbuffered, calls);
        _workers = new IoWorkers(workers, idle, Run);
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

    /// <summary>How many worker threads exist now.</summary>
    internal int Workers => _workers.Threads;

    /// <inheritdoc/>
    public override (string Place, long Offset) Locate(long offset) =>
        (_files.PathOf(offset / SegmentSize), offset % SegmentSize);

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IoRequest> requests)
    {
        foreach (IoRequest request in requests) request.Error = null;
        _workers.Submit(requests);
    }

    /// <inheritdoc/>
    public override int Poll(Span<IoRequest> completed) => _completions.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout) => _completions.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _completions.Wake();

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
    protected override void Dispose(bool disposing)
    {
        if (!disposing) return;
        _workers.Dispose();
        _files.Dispose();
    }

    private void Run(IoRequest request)
    {
        try
        {
            request.Error = Check(request) as FasterException ?? Transfer(request);
        }
        catch (Exception e)
        {
            request.Error = ErrorOf(request, e);
        }

        _completions.Post(request);
    }

    private StorageException? Check(IoRequest request)
    {
        if (RequestCheck.Find(request, this) is { } fault) return fault;
        return request.Offset / SegmentSize == (request.Offset + request.Length - 1) / SegmentSize
            ? null
            : DeviceErrors.Refused(request, Name, $"it crosses a boundary of segments of {SegmentSize} bytes.");
    }

    private DamagedDataException? Transfer(IoRequest request)
    {
        bool write = request.Kind == IoKind.Write;
        if (_files.Get(request.Offset / SegmentSize, write) is not { } segment)
            return DeviceErrors.Truncated(request, Name, request.Offset, _files.FirstSegment * SegmentSize);
        try
        {
            return TransferIn(segment, request, write);
        }
        catch (IOException e) when (IsInvalidArgument(e) && _files.FallBack(segment))
        {
            return TransferIn(segment, request, write);
        }
    }

    private DamagedDataException? TransferIn(Segment segment, IoRequest request, bool write)
    {
        long offset = request.Offset % SegmentSize;
        if (!write) return Read(segment, request, offset);
        try
        {
            _calls.Write(segment.Handle, new ReadOnlySpan<byte>(request.Buffer, request.Length), offset);
        }
        finally
        {
            // A write that failed may have written a part.
            segment.MarkWritten();
        }

        return null;
    }

    private DamagedDataException? Read(Segment segment, IoRequest request, long offset)
    {
        int done = 0;
        while (done < request.Length)
        {
            var rest = new Span<byte>(request.Buffer + done, request.Length - done);
            int got = _calls.Read(segment.Handle, rest, offset + done);
            // An unbuffered read must begin at a sector: what came of a last, torn one is read again.
            int next = segment.IsUnbuffered ? (done + got) & -SectorSize : done + got;
            if (next <= done) return DeviceErrors.EndOfData(request, segment.Path, offset, done);
            done = next;
        }

        return null;
    }

    private static bool IsInvalidArgument(IOException e) =>
        !OperatingSystem.IsWindows() && e.HResult == DeviceErrors.InvalidArgument;

    private FasterException ErrorOf(IoRequest request, Exception e)
    {
        long number = request.Offset / SegmentSize;
        string path = _files.PathOf(number);
        long offset = request.Offset % SegmentSize;
        return e switch
        {
            ObjectDisposedException when number < _files.FirstSegment =>
                DeviceErrors.Truncated(request, Name, request.Offset, _files.FirstSegment * SegmentSize),
            FileNotFoundException or DirectoryNotFoundException when request.Kind == IoKind.Read =>
                DeviceErrors.MissingFile(request, path, offset, e),
            _ => DeviceErrors.Transfer(request, path, offset, e),
        };
    }
}
