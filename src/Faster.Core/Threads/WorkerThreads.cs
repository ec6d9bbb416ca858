using System.Runtime.CompilerServices;
using Faster.Invariants;

namespace Faster.Threads;

/// <summary>
/// Background threads for work that may block. Started on demand up to a limit, ended after an idle time. The shared
/// thread pool would bound the number of blocking calls under way, and a store must go on while it is blocked.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Everything submitted is run exactly once, even if the workers are closed immediately afterwards.</item>
/// <item>Work never waits for a thread while fewer than the limit exist.</item>
/// <item>A thread is counted from before its start until it finds no work and ends; no more are counted than the limit,
/// but for one that does the work because the system refuses threads.</item>
/// </list>
/// <para>Thread-safe. The work must not throw.</para>
/// </remarks>
internal sealed class WorkerThreads<TWork> : IDisposable
{
    private const int StackBytes = 1 << 20;

    private readonly object _gate = new();
    private readonly Queue<TWork> _queued = new();
    private readonly Action<TWork> _work;
    private readonly int _limit;
    private readonly TimeSpan _idleLimit;
    private readonly Action<Action> _alone;
    private int _threads;
    private int _idle;
    private bool _closing;

    /// <summary>Prepares workers; no thread is started yet.</summary>
    /// <param name="limit">The maximum number of threads.</param>
    /// <param name="idleLimit">How long a thread stays without work.</param>
    /// <param name="work">Does one piece of work. It reports the result itself, and must not throw.</param>
    /// <param name="alone">
    /// Runs what is queued if the system refuses even the first thread; by default on the submitter's.
    /// </param>
    public WorkerThreads(int limit, TimeSpan idleLimit, Action<TWork> work, Action<Action>? alone = null)
    {
        _alone = alone ?? (static run => run());
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

    /// <summary>Queues work. The queue is unbounded: as long as its submitters make it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Submit(ReadOnlySpan<TWork> work)
    {
        int toStart;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_closing, this);
            foreach (TWork one in work) _queued.Enqueue(one);
            for (int i = Math.Min(work.Length, _idle); i > 0; i--) Monitor.Pulse(_gate);
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
            new Thread(Run, StackBytes) { IsBackground = true, Name = "Faster worker" }.UnsafeStart();
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    // The system provides no more threads. The existing ones do the work; without any, see the constructor.
    private void GiveUpStarting(int count)
    {
        bool alone;
        lock (_gate)
        {
            _threads -= count;
            alone = _threads == 0;
            if (alone) _threads++;
        }

        if (alone) _alone(() => Run(wait: false));
    }

    private void Run() => Run(wait: true);

    private void Run(bool wait)
    {
        while (TryTake(wait, out TWork? work)) _work(work!);
    }

    // When it returns false, the calling thread is no longer counted.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private bool TryTake(bool wait, out TWork? work)
    {
        lock (_gate)
        {
            while (!_queued.TryDequeue(out work))
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
