namespace Faster.Devices.Segments;

/// <summary>What all ways of transferring share: the file of a request, and the error of a failed one.</summary>
/// <remarks>Immutable except for the files; thread-safe.</remarks>
internal sealed class SegmentRoute(SegmentFiles files, long segmentSize, int sectorSize, string name)
{
    /// <summary>The device's segment files, open or closed.</summary>
    public SegmentFiles Files { get; } = files;

    /// <summary>The size of a segment in bytes.</summary>
    public long SegmentSize { get; } = segmentSize;

    /// <summary>The unit of transfers in bytes.</summary>
    public int SectorSize { get; } = sectorSize;

    /// <summary>The offset of a request in its segment's file.</summary>
    public long OffsetOf(IORequest request) => request.Offset % SegmentSize;

    /// <summary>
    /// Checks a request and returns its segment, held, and opened if necessary: the caller releases it.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="error">The error when there is no segment, otherwise null.</param>
    /// <exception cref="IOException">The file can't be opened; <see cref="ErrorOf"/> explains it.</exception>
    public Segment? Find(IORequest request, out FasterException? error)
    {
        error = RequestCheck.Find(request, SectorSize, name);
        if (error is not null) return null;
        if (request.Offset / SegmentSize != (request.Offset + request.Length - 1) / SegmentSize)
        {
            error = DeviceErrors.Refused(
                request, name, $"it crosses a boundary of segments of {SegmentSize} bytes.");
            return null;
        }

        Segment? segment = Files.Hold(request.Offset / SegmentSize, request.Kind == IOKind.Write);
        if (segment is null) error = Truncated(request);
        return segment;
    }

    /// <summary>
    /// Where to continue after the system has transferred a part: an unbuffered transfer must begin at a sector, so the
    /// last sector is transferred again if it was transferred in part.
    /// </summary>
    public int Next(Segment segment, int transferred) =>
        segment.IsUnbuffered ? transferred & -SectorSize : transferred;

    /// <summary>The error of a read that reached the end of the file.</summary>
    public DamagedDataException EndOfData(Segment segment, IORequest request, int done) =>
        DeviceErrors.EndOfData(request, segment.Path, OffsetOf(request), done);

    /// <summary>The request's error for an exception of its transfer, or of opening the file.</summary>
    public FasterException ErrorOf(IORequest request, Exception e)
    {
        long number = request.Offset / SegmentSize;
        string path = Files.PathOf(number);
        long offset = OffsetOf(request);
        return e switch
        {
            ObjectDisposedException when number < Files.FirstSegment => Truncated(request),
            StorageException final => final,
            FileNotFoundException or DirectoryNotFoundException when request.Kind == IOKind.Read =>
                DeviceErrors.MissingFile(request, path, offset, e),
            _ => DeviceErrors.Transfer(request, path, offset, e),
        };
    }

    private DamagedDataException Truncated(IORequest request) =>
        DeviceErrors.Truncated(request, name, request.Offset, Files.FirstSegment * SegmentSize);
}
