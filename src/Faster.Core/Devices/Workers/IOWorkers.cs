using System.Runtime.CompilerServices;
using Faster.Invariants;

namespace Faster.Devices.Workers;

/// <summary>
/// Background threads that run blocking transfers, so that a queue as deep as the number of threads reaches the disk.
/// Started on demand up to a limit, ended after an idle time. The shared thread pool would bound the depth and be
/// starved.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every submitted request is run exactly once, even if the workers are closed immediately afterwards.</item>
/// <item>A request never waits for a thread while fewer than the limit exist.</item>
/// <item>A thread is counted from before its start until it finds no work and ends; no more are counted than the limit,
/// but for a submitter that does the work because the system refuses threads.</item>
/// </list>
/// <para>Thread-safe. The work must not throw.</para>
/// </remarks>
internal sealed class IOWorkers : IDisposable
{
    private const int StackBytes = 256 << 10;

    private readonly object _gate = new();
    private readonly Queue<IORequest> _queued = new();
    private readonly Action<IORequest> _work;
    private readonly int _limit;
    private readonly TimeSpan _idleLimit;
    private int _threads;
    private int _idle;
    private bool _closing;

    /// <summary>Prepares workers; no thread is started yet.</summary>
    /// <param name="limit">The maximum number of threads.</param>
    /// <param name="idleLimit">How long a thread stays without work.</param>
    /// <param name="work">Runs a request. It reports the request's result itself, and must not throw.</param>
    public IOWorkers(int limit, TimeSpan idleLimit, Action<IORequest> work)
    {
        _limit = limit;
        _idleLimit = idleLimit;
        _work = work;
    }

    /// <summary>The current number of threads.</summary>
    public int Threads
    {
        get
        {
            lock (_gate) return _threads;
        }
    }

    /// <summary>Queues requests. The queue is unbounded: as long as its submitters make it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Submit(ReadOnlySpan<IORequest> requests)
    {
        int toStart;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_closing, this);
            foreach (IORequest request in requests) _queued.Enqueue(request);
            for (int i = Math.Min(requests.Length, _idle); i > 0; i--) Monitor.Pulse(_gate);
            Invariant.Check(
                _threads >= 0 && _idle >= 0 && _idle <= _threads && _threads <= Math.Max(_limit, 1),
                $"{_threads} threads, {_idle} of them idle, are at most {_limit}");
            toStart = Math.Clamp(_queued.Count - _idle, 0, _limit - _threads);
            _threads += toStart;
        }

        while (toStart > 0 && TryStart()) toStart--;
        if (toStart > 0) GiveUpStarting(toStart);
    }

    /// <summary>Runs what is queued, then ends every thread; returns when the last one has ended its work.</summary>
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

    // The system provides no more threads. The existing ones do the work; if there are none, the submitter does it.
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
        while (TryTake(wait: false, out IORequest? request)) _work(request!);
    }

    private void Run()
    {
        while (TryTake(wait: true, out IORequest? request)) _work(request!);
    }

    // When it returns false, the calling thread is no longer counted.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool TryTake(bool wait, out IORequest? request)
    {
        lock (_gate)
        {
            while (!_queued.TryDequeue(out request))
            {
                bool signaled = false;
                if (wait && !_closing)
                {
                    _idle++;
                    signaled = Monitor.Wait(_gate, _idleLimit);
                    _idle--;
                }

                if (signaled || _queued.Count > 0) continue;
                _threads--;
                Monitor.PulseAll(_gate);
                return false;
            }

            return true;
        }
    }
}
