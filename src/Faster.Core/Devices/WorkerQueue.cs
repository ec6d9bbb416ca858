namespace Faster.Devices;

/// <summary>Transfers by blocking calls on threads of its own: as deep as the threads are many.</summary>
/// <remarks>Thread-safe as <see cref="IoQueue"/> says, and for any number of waiters.</remarks>
internal sealed unsafe class WorkerQueue : IoQueue
{
    private readonly CompletionQueue _completions = new();
    private readonly SegmentRoute _route;
    private readonly FileCalls _calls;
    private readonly IoWorkers _workers;

    /// <summary>Prepares threads; none is started before the first request.</summary>
    public WorkerQueue(SegmentRoute route, FileCalls calls, int workers, TimeSpan idleLimit)
    {
        _route = route;
        _calls = calls;
        Depth = workers;
        _workers = new IoWorkers(workers, idleLimit, Run);
    }

    /// <inheritdoc/>
    public override int Depth { get; }

    /// <summary>How many worker threads exist now.</summary>
    public int Threads => _workers.Threads;

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IoRequest> requests)
    {
        foreach (IoRequest request in requests) request.Error = null;
        _workers.Submit(requests);
    }

    /// <inheritdoc/>
    public override void Add(IoRequest request) => Submit(new ReadOnlySpan<IoRequest>(ref request));

    /// <summary>Does nothing: all is begun already.</summary>
    public override void Flush() { }

    /// <inheritdoc/>
    public override int Poll(Span<IoRequest> completed) => _completions.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout, int wanted = 1) => _completions.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _completions.Wake();

    /// <inheritdoc/>
    public override void Dispose() => _workers.Dispose();

    private void Run(IoRequest request)
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

    private DamagedDataException? Transfer(Segment segment, IoRequest request)
    {
        bool unbuffered = segment.IsUnbuffered;
        try
        {
            return TransferIn(segment, request);
        }
        catch (IOException e) when (
            unbuffered && DeviceErrors.IsInvalidArgument(e) && _route.Files.FallBack(segment))
        {
            return TransferIn(segment, request);
        }
        finally
        {
            segment.LetGo();
        }
    }

    private DamagedDataException? TransferIn(Segment segment, IoRequest request)
    {
        long offset = _route.OffsetOf(request);
        if (request.Kind == IoKind.Read) return Read(segment, request, offset);
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
            int next = _route.Next(segment, done + _calls.Read(segment.Handle, rest, offset + done));
            if (next <= done) return _route.EndOfData(segment, request, done);
            done = next;
        }

        return null;
    }
}
