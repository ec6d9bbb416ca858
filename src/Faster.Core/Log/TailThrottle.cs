namespace Faster.Log;

/// <summary>
/// Holds those back for a while who take room at a log's tail, so that who makes room on the disk keeps up with who
/// fills it.
/// </summary>
/// <remarks>
/// A delay, not a wall: no page is held longer than it takes to fill it at 256 KiB a second, nor than a second,
/// whatever happens to who engages the throttle, so that nothing can hang on it. Who makes room passes; others don't
/// use the pages that he opens, so it is room that is held back and not the turn to a page. Thread-safe.
/// </remarks>
internal sealed class TailThrottle : IDisposable
{
    private const long BytesPerSecond = 256 << 10;

    private static readonly TimeSpan LongestDelay = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(20);

    [ThreadStatic]
    private static bool s_passes;

    private readonly Func<long> _fullFrom;
    private readonly Func<bool> _pauses;
    private readonly WaitGate _gate;
    private readonly TimeSpan _delay;
    private readonly Timer _timer;
    private readonly Lock _lock = new();
    private volatile bool _engaged;
    private bool _ticks, _isDisposed;
    private long _free;      // below this page there was room when it was last looked
    private long _page = -1; // the last that was held back
    private long _since;

    /// <summary>A throttle that is not engaged.</summary>
    /// <param name="fullFrom">
    /// The page from which on it is to hold back while it is engaged: where the disk's room ends. Only looks, and never
    /// falls.
    /// </param>
    /// <param name="pauses">
    /// Whether writers pass just now: while it is known that no space can be made, or a commit waits for operations or
    /// batches, some of which may wait here for space that is given back after that commit.
    /// </param>
    /// <param name="gate">Where those wait who are held back.</param>
    /// <param name="pageBytes">The size of a page.</param>
    public TailThrottle(Func<long> fullFrom, Func<bool> pauses, WaitGate gate, long pageBytes)
    {
        (_fullFrom, _pauses, _gate) = (fullFrom, pauses, gate);
        _delay = TimeSpan.FromSeconds(Math.Min(pageBytes / (double)BytesPerSecond, LongestDelay.TotalSeconds));
        _timer = new Timer(_ => OnTick());
    }

    /// <summary>The clock of the delay. Not the store's, which may stand still.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>Lets the calling thread pass, or no longer.</summary>
    /// <returns>Whether it did before.</returns>
    public static bool Pass(bool passes)
    {
        bool before = s_passes;
        s_passes = passes;
        return before;
    }

    /// <summary>Holds back from now on, where the room is used up.</summary>
    public void Engage() => _engaged = true;

    /// <summary>Lets everybody pass.</summary>
    public void Disengage()
    {
        _engaged = false;
        _gate.Open();
    }

    /// <summary>Whether room in the tail's page, or the turn to the next, is to wait.</summary>
    public bool HoldsBack(long page)
    {
        if (page < Volatile.Read(ref _free) || !_engaged || s_passes || !IsFull(page) || _pauses()) return false;
        lock (_lock)
        {
            if (!_ticks)
            {
                _ticks = true;
                _timer.Change(Tick, Tick); // those who wait without a thread look again when the gate opens
            }

            if (_page == page) return Time.GetElapsedTime(_since) < _delay;
            (_page, _since) = (page, Time.GetTimestamp());
            return true;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _engaged = false;
        lock (_lock)
        {
            _ticks = true; // nobody starts the timer any more
            _isDisposed = true;
            _timer.Dispose();
        }
    }

    private bool IsFull(long page)
    {
        long free = _fullFrom();
        Volatile.Write(ref _free, free); // an older one only means that somebody looks again
        return page >= free;
    }

    // While anybody may be held back.
    private void OnTick()
    {
        lock (_lock)
        {
            if (_isDisposed) return;
            if (!_engaged || !IsFull(_page))
            {
                _ticks = false;
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }

        _gate.Open();
    }
}
