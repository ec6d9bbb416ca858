using Faster.Devices.Segments;
using Faster.Threads;

namespace Faster.Devices.Workers;

/// <summary>Transfers by blocking calls on its own threads; the queue is as deep as the number of threads.</summary>
/// <remarks>
/// Thread-safe as <see cref="IOQueue"/> requires, and for any number of waiters.
/// </remarks>
internal sealed class WorkerQueue : IOQueue
{
    private readonly CompletionQueue _completions = new();
    private readonly BlockingTransfers _transfers;
    private readonly WorkerThreads<IORequest> _workers;

    /// <summary>Prepares the threads; none is started before the first request.</summary>
    public WorkerQueue(SegmentRoute route, FileCalls calls, int workers, TimeSpan idleLimit)
    {
        _transfers = new BlockingTransfers(route, calls);
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
        _transfers.Run(request);
        _completions.Post(request);
    }
}
