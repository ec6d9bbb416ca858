namespace Faster.Devices;

/// <summary>
/// What every way of transferring has in common: which file a request concerns, and which error comes of what failed.
/// </summary>
/// <remarks>Immutable but for the files; thread-safe.</remarks>
internal sealed class SegmentRoute(SegmentFiles files, long segmentSize, int sectorSize, string name)
{
    /// <summary>The files.</summary>
    public SegmentFiles Files { get; } = files;

    /// <summary>The bytes of a segment.</summary>
    public long SegmentSize { get; } = segmentSize;

    /// <summary>The unit of transfers in bytes.</summary>
    public int SectorSize { get; } = sectorSize;

    /// <summary>Where a request lies in its segment's file.</summary>
    public long OffsetOf(IoRequest request) => request.Offset % SegmentSize;

    /// <summary>Checks a request and finds its segment, opened if need be and held: let go of it afterwards.</summary>
    /// <param name="request">The request.</param>
    /// <param name="error">Why there is none, if there is none.</param>
    /// <exception cref="IOException">The file can't be opened; <see cref="ErrorOf"/> says what that means.</exception>
    public Segment? Find(IoRequest request, out FasterException? error)
    {
        error = RequestCheck.Find(request, SectorSize, name);
        if (error is not null) return null;
        if (request.Offset / SegmentSize != (request.Offset + request.Length - 1) / SegmentSize)
        {
            error = DeviceErrors.Refused(
                request, name, $"it crosses a boundary of segments of {SegmentSize} bytes.");
            return null;
        }

        Segment? segment = Files.Hold(request.Offset / SegmentSize, request.Kind == IoKind.Write);
        if (segment is null) error = Truncated(request);
        return segment;
    }

    /// <summary>
    /// Where to go on after the system has transferred a part: an unbuffered transfer must begin at a sector, so what
    /// was made of a last, torn one is made again.
    /// </summary>
    public int Next(Segment segment, int transferred) =>
        segment.IsUnbuffered ? transferred & -SectorSize : transferred;

    /// <summary>The read met the end of the file.</summary>
    public DamagedDataException EndOfData(Segment segment, IoRequest request, int done) =>
        DeviceErrors.EndOfData(request, segment.Path, OffsetOf(request), done);

    /// <summary>What an exception of a transfer, or of the opening before it, means to the request.</summary>
    public FasterException ErrorOf(IoRequest request, Exception e)
    {
        long number = request.Offset / SegmentSize;
        string path = Files.PathOf(number);
        long offset = OffsetOf(request);
        return e switch
        {
            ObjectDisposedException when number < Files.FirstSegment => Truncated(request),
            StorageException final => final,
            FileNotFoundException or DirectoryNotFoundException when request.Kind == IoKind.Read =>
                DeviceErrors.MissingFile(request, path, offset, e),
            _ => DeviceErrors.Transfer(request, path, offset, e),
        };
    }

    private DamagedDataException Truncated(IoRequest request) =>
        DeviceErrors.Truncated(request, name, request.Offset, Files.FirstSegment * SegmentSize);
}
