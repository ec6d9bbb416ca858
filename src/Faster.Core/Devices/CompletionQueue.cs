namespace Faster.Devices;

/// <summary>The completed requests of a device, on their way back to whoever polls.</summary>
/// <remarks>
/// Invariants: a posted request leaves by exactly one <see cref="Poll"/>; each <see cref="Wake"/> ends at least one
/// present or future <see cref="Wait"/>. Thread-safe: one short lock; polling an empty queue takes none.
/// </remarks>
internal sealed class CompletionQueue
{
    private readonly object _gate = new();
    private readonly Queue<IoRequest> _completed = new();
    private int _count;     // of _completed; written under the gate, read without it to skip the gate
    private int _waiters;
    private int _wakes;

    /// <summary>Hands back one request.</summary>
    public void Post(IoRequest request)
    {
        lock (_gate)
        {
            _completed.Enqueue(request);
            _count = _completed.Count;
            if (_waiters > 0) Monitor.Pulse(_gate);
        }
    }

    /// <summary>Hands back a batch.</summary>
    public void Post(ReadOnlySpan<IoRequest> requests)
    {
        if (requests.IsEmpty) return;
        lock (_gate)
        {
            foreach (IoRequest request in requests) _completed.Enqueue(request);
            _count = _completed.Count;
            if (_waiters > 0) Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Takes what is there, oldest first, without waiting.</summary>
    public int Poll(Span<IoRequest> completed)
    {
        if (completed.IsEmpty || Volatile.Read(ref _count) == 0) return 0;
        lock (_gate)
        {
            int taken = 0;
            while (taken < completed.Length && _completed.TryDequeue(out IoRequest? request))
                completed[taken++] = request;
            _count = _completed.Count;
            return taken;
        }
    }

    /// <summary>Waits for a request, a wake, or the end of the time.</summary>
    /// <returns>Whether a request was there on return.</returns>
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
    /// Makes one current or future <see cref="Wait"/> return. Wakes that nobody waits for count once.
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
