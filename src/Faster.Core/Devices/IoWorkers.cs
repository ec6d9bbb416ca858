namespace Faster.Devices;

/// <summary>
/// Background threads that run blocking transfers, so that a queue as deep as the threads are many reaches the disk.
/// Started on demand up to a limit, ended after idling; the shared thread pool would bound the depth and be starved.
/// </summary>
/// <remarks>
/// Invariants: every submitted request is run exactly once, also when the workers are closed right after; a request
/// never waits for a thread while fewer than the limit exist. Thread-safe. The work must not throw.
/// </remarks>
internal sealed class IoWorkers : IDisposable
{
    private const int StackBytes = 256 << 10;

    private readonly object _gate = new();
    private readonly Queue<IoRequest> _queued = new();
    private readonly Action<IoRequest> _work;
    private readonly int _limit;
    private readonly TimeSpan _idleLimit;
    private int _threads;
    private int _idle;
    private bool _closing;

    /// <summary>Prepares workers; no thread is started yet.</summary>
    /// <param name="limit">The most threads.</param>
    /// <param name="idleLimit">How long a thread stays without work.</param>
    /// <param name="work">What to do with a request. It reports the request itself, and must not throw.</param>
    public IoWorkers(int limit, TimeSpan idleLimit, Action<IoRequest> work)
    {
        _limit = limit;
        _idleLimit = idleLimit;
        _work = work;
    }

    /// <summary>How many threads exist now.</summary>
    public int Threads
    {
        get
        {
            lock (_gate) return _threads;
        }
    }

    /// <summary>Queues requests. The queue is as long as what its submitters lend it.</summary>
    public void Submit(ReadOnlySpan<IoRequest> requests)
    {
        int toStart;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_closing, this);
            foreach (IoRequest request in requests) _queued.Enqueue(request);
            for (int i = Math.Min(requests.Length, _idle); i > 0; i--) Monitor.Pulse(_gate);
            toStart = Math.Clamp(_queued.Count - _idle, 0, _limit - _threads);
            _threads += toStart;
        }

        while (toStart > 0 && TryStart()) toStart--;
        if (toStart > 0) GiveUpStarting(toStart);
    }

    /// <summary>Runs what is queued, then ends every thread, and returns when the last has ended its work.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _closing = true;
            Monitor.PulseAll(_gate);
            while (_threads > 0) Monitor.Wait(_gate);
        }
    }

    private bool TryStart()
    {
        try
        {
            new Thread(Run, StackBytes) { IsBackground = true, Name = "Faster I/O" }.UnsafeStart();
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    // The system gives no more threads. Those that exist do the work; where there is none, the submitter does it.
    private void GiveUpStarting(int count)
    {
        bool alone;
        lock (_gate)
        {
            _threads -= count;
            alone = _threads == 0;
            if (alone) _threads++;
        }

        if (!alone) return;
        while (TryTake(wait: false, out IoRequest? request)) _work(request!);
    }

    private void Run()
    {
        while (TryTake(wait: true, out IoRequest? request)) _work(request!);
    }

    // When it returns false the calling thread is no longer counted.
    private bool TryTake(bool wait, out IoRequest? request)
    {
        lock (_gate)
        {
            while (!_queued.TryDequeue(out request))
            {
                bool signalled = false;
                if (wait && !_closing)
                {
                    _idle++;
                    signalled = Monitor.Wait(_gate, _idleLimit);
                    _idle--;
                }

                if (signalled || _queued.Count > 0) continue;
                _threads--;
                Monitor.PulseAll(_gate);
                return false;
            }

            return true;
        }
    }
}
