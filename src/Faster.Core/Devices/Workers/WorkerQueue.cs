using Faster.Devices.Segments;
using Faster.Threads;

namespace Faster.Devices.Workers;

/// <summary>Transfers by blocking calls on its own threads; the queue is as deep as the number of threads.</summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="IOQueue"/>:</para>
/// <list type="bullet">
/// <item>A request's segment stays open until its transfer has ended, also when that fails.</item>
/// <item>A segment is marked as written before the request that wrote to it is returned.</item>
/// </list>
/// <para>Thread-safe as <see cref="IOQueue"/> requires, and for any number of waiters.</para>
/// </remarks>
internal sealed unsafe class WorkerQueue : IOQueue
{
    private readonly CompletionQueue _completions = new();
    private readonly SegmentRoute _route;
    private readonly FileCalls _calls;
    private readonly WorkerThreads<IORequest> _workers;

    /// <summary>Prepares the threads; none is started before the first request.</summary>
    public WorkerQueue(SegmentRoute route, FileCalls calls, int workers, TimeSpan idleLimit)
    {
        _route = route;
        _calls = calls;
        Depth = workers;
        _workers = new WorkerThreads<IORequest>(workers, idleLimit, Run);
    }

    /// <inheritdoc/>
    public override int Depth { get; }

    /// <summary>The current number of worker threads.</summary>
    public int Threads => _workers.Threads;

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        foreach (IORequest request in requests) request.Error = null;
        _workers.Submit(requests);
    }

    /// <inheritdoc/>
    public override void Add(IORequest request) => Submit(new ReadOnlySpan<IORequest>(ref request));

    /// <summary>Does nothing, because requests start when they are added.</summary>
    public override void Flush() { }

    /// <inheritdoc/>
    public override int Poll(Span<IORequest> completed) => _completions.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout, int wanted = 1) => _completions.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _completions.Wake();

    /// <inheritdoc/>
    public override void Dispose() => _workers.Dispose();

    private void Run(IORequest request)
    {
        try
        {
            request.Error = _route.Find(request, out FasterException? error) is { } segment
                ? Transfer(segment, request)
                : error;
        }
        catch (Exception e)
        {
            request.Error = _route.ErrorOf(request, e);
        }

        _completions.Post(request);
    }

    private DamagedDataException? Transfer(Segment segment, IORequest request)
    {
        bool unbuffered = segment.IsUnbuffered;
        try
        {
            return TransferIn(segment, request);
        }
        catch (IOException e) when (
            unbuffered && DeviceErrors.IsInvalidArgument(e) && _route.Files.FallBackToCache(segment))
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
        long offset = _route.OffsetOf(request);
        if (request.Kind == IOKind.Read) return Read(segment, request, offset);
        try
        {
            _calls.Write(segment.Handle, new ReadOnlySpan<byte>(request.Buffer, request.Length), offset);
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
            int next = _route.Next(segment, done + _calls.Read(segment.Handle, rest, offset + done));
            if (next <= done) return _route.EndOfData(segment, request, done);
            done = next;
        }

        return null;
    }
}
