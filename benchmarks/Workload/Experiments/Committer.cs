using System.Diagnostics;

namespace Faster.Workload.Experiments;

/// <summary>
/// Takes log-only fold-over commits when clients ask for them, one at a time, and wakes the clients that wait for the
/// end of one. Thread-safe.
/// </summary>
internal sealed class Committer(ICommitEngine engine) : IAsyncDisposable
{
    private readonly SemaphoreSlim _asked = new(0);
    private readonly Lock _counting = new();
    private readonly object _gate = new();
    private Task? _work;
    private long _ends;
    private int _commits;
    private double _commitSeconds;
    private int _isAsked;
    private volatile bool _stop;

    /// <summary>How often something has become durable; what <see cref="WaitForEnd"/> waits to see changed.</summary>
    public long Ends => Volatile.Read(ref _ends);

    /// <summary>How many commits there were, and the time they took together, in seconds.</summary>
    public (int Commits, double Seconds) Totals
    {
        get
        {
            lock (_counting)
                return (_commits, _commitSeconds);
        }
    }

    /// <summary>Whether no commit will follow.</summary>
    public bool IsStopped => _stop;

    /// <summary>Starts to serve.</summary>
    public void Start() => _work = Task.Run(WorkAsync);

    /// <summary>Asks for a commit, unless one was asked for that has not ended.</summary>
    public void Ask()
    {
        if (Volatile.Read(ref _isAsked) == 0 && Interlocked.Exchange(ref _isAsked, 1) == 0)
            _asked.Release();
    }

    /// <summary>Waits until more has become durable than when <see cref="Ends"/> was <paramref name="seen"/>.</summary>
    public void WaitForEnd(long seen)
    {
        lock (_gate)
        {
            while (_ends == seen && !_stop)
                Monitor.Wait(_gate);
        }
    }

    /// <summary>Wakes the waiting threads: something has become durable.</summary>
    public void Announce()
    {
        lock (_gate)
        {
            _ends++;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Waits for the current commit, and releases all waiters.</summary>
    /// <exception cref="Exception">A commit has failed.</exception>
    public async ValueTask DisposeAsync()
    {
        _stop = true;
        Announce();
        _asked.Release();
        if (_work is not null)
            await _work;
        _asked.Dispose();
    }

    private async Task WorkAsync()
    {
        try
        {
            await _asked.WaitAsync();
            while (!_stop)
            {
                await CommitAsync();
                await _asked.WaitAsync();
            }
        }
        finally
        {
            // After a failure, too: no thread may wait for a commit that will not come.
            _stop = true;
            Announce();
        }
    }

    private async Task CommitAsync()
    {
        long start = Stopwatch.GetTimestamp();
        await engine.CommitAsync(CommitForm.FoldOver, withIndex: false);
        lock (_counting)
        {
            _commits++;
            _commitSeconds += Stopwatch.GetElapsedTime(start).TotalSeconds;
        }

        // Cleared before the announcement, so that a client that it wakes and that needs more can ask again.
        Volatile.Write(ref _isAsked, 0);
        Announce();
    }
}
