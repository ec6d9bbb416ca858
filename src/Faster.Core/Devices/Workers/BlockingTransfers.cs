using Faster.Devices.Segments;

namespace Faster.Devices.Workers;

/// <summary>Transfers to and from segments by calls that block the caller.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A request's segment stays open until its transfer has ended, also when that fails.</item>
/// <item>A segment is marked as written before the request that wrote to it is returned.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
/// <param name="route">The device's files.</param>
/// <param name="calls">The system calls.</param>
internal sealed unsafe class BlockingTransfers(SegmentRoute route, FileCalls calls)
{
    /// <summary>Carries out a request; its error is one that the store's users know.</summary>
    public void Run(IORequest request)
    {
        try
        {
            request.Error = route.Find(request, out FasterException? error) is { } segment
                ? Transfer(segment, request)
                : error;
        }
        catch (Exception e)
        {
            request.Error = route.ErrorOf(request, e);
        }
    }

    private DamagedDataException? Transfer(Segment segment, IORequest request)
    {
        bool unbuffered = segment.IsUnbuffered;
        try
        {
            return TransferIn(segment, request);
        }
        catch (IOException e) when (
            unbuffered && DeviceErrors.IsInvalidArgument(e) && route.Files.FallBackToCache(segment))
        {
            return TransferIn(segment, request);
        }
        finally
        {
            segment.Release();
        }
    }

    private DamagedDataException? TransferIn(Segment segment, IORequest request)
    {
        long offset = route.OffsetOf(request);
        if (request.Kind == IOKind.Read) return Read(segment, request, offset);
        try
        {
            calls.Write(segment.Handle, new ReadOnlySpan<byte>(request.Buffer, request.Length), offset);
        }
        finally
        {
            // A failed write may have written some of the bytes.
            segment.MarkWritten();
        }

        return null;
    }

    private DamagedDataException? Read(Segment segment, IORequest request, long offset)
    {
        int done = 0;
        while (done < request.Length)
        {
            var rest = new Span<byte>(request.Buffer + done, request.Length - done);
            int next = route.Next(segment, done + calls.Read(segment.Handle, rest, offset + done));
            if (next <= done) return route.EndOfData(segment, request, done);
            done = next;
        }

        return null;
    }
}
