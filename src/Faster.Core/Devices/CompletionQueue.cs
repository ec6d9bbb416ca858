namespace Faster.Devices;

/// <summary>The completed requests of a device, until a thread polls them.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A posted request is returned by exactly one <see cref="Poll"/>.</item>
/// <item>Requests are returned in the order in which they were posted.</item>
/// <item>Each <see cref="Wake"/> ends at least one current or future <see cref="Wait"/>.</item>
/// </list>
/// <para>Thread-safe: one short lock; polling an empty queue takes none.</para>
/// </remarks>
internal sealed class CompletionQueue
{
    private readonly object _gate = new();
    private readonly Queue<IORequest> _completed = new();
    private int _count;     // of _completed; written under the gate, read without it to skip the gate
    private int _waiters;
    private int _wakes;

    /// <summary>Adds a completed request.</summary>
    public void Post(IORequest request)
    {
        lock (_gate)
        {
            _completed.Enqueue(request);
            _count = _completed.Count;
            if (_waiters > 0) Monitor.Pulse(_gate);
        }
    }

    /// <summary>Adds a batch of completed requests.</summary>
    public void Post(ReadOnlySpan<IORequest> requests)
    {
        if (requests.IsEmpty) return;
        lock (_gate)
        {
            foreach (IORequest request in requests) _completed.Enqueue(request);
            _count = _completed.Count;
            if (_waiters > 0) Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Removes completed requests, oldest first, without waiting.</summary>
    public int Poll(Span<IORequest> completed)
    {
        if (completed.IsEmpty || Volatile.Read(ref _count) == 0) return 0;
        lock (_gate)
        {
            int taken = 0;
            while (taken < completed.Length && _completed.TryDequeue(out IORequest? request))
                completed[taken++] = request;
            _count = _completed.Count;
            return taken;
        }
    }

    /// <summary>Waits for a request, a wake, or the timeout.</summary>
    /// <returns>Whether a request was available on return.</returns>
    public bool Wait(TimeSpan timeout)
    {
        long deadline = timeout == Timeout.InfiniteTimeSpan
            ? long.MaxValue
            : Environment.TickCount64 + (long)Math.Ceiling(timeout.TotalMilliseconds);
        lock (_gate)
        {
            _waiters++;
            try
            {
                while (_completed.Count == 0)
                {
                    if (_wakes > 0)
                    {
                        _wakes--;
                        return false;
                    }

                    long left = deadline - Environment.TickCount64;
                    if (left <= 0) return false;
                    Monitor.Wait(_gate, (int)Math.Min(left, int.MaxValue));
                }

                return true;
            }
            finally
            {
                _waiters--;
            }
        }
    }

    /// <summary>
    /// Makes one current or future <see cref="Wait"/> return. Several wakes without a waiter count as one.
    /// </summary>
    public void Wake()
    {
        lock (_gate)
        {
            if (_wakes < Math.Max(1, _waiters)) _wakes++;
            Monitor.Pulse(_gate);
        }
    }
}
