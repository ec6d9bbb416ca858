using Faster.Threads;

namespace Faster.Log;

/// <summary>Throttles appends at the tail so that compaction can keep up with writers.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A delay, not a barrier: after the time that filling a page takes at 256 KiB a second, a second at most,
/// writers pass until the tail's page is full, whatever happens to the compaction that engages the throttle, so no
/// operation can hang on it. The delay does not begin anew when compaction turns the page.</item>
/// <item>Compaction passes; writers must not use the pages that it opens, so allocations are delayed and not only page
/// turns.</item>
/// <item>While an allocation may be delayed, a background task ticks: parked operations check again.</item>
/// </list>
/// <para>Thread-safe: a short lock, taken only where an allocation is delayed.</para>
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
    private readonly Lock _lock = new();
    private volatile bool _engaged;
    private bool _ticks, _isDisposed;
    private long _free;         // below this page the disk had space at the last check
    private long _delayed = -1; // the last delayed page
    private long _passed = -1;  // the last page in which writers pass, since its delay is over
    private long _since;
    private bool _delays;

    /// <summary>Creates a throttle that is not engaged.</summary>
    /// <param name="fullFrom">
    /// The first page that is delayed while the throttle is engaged: where the disk space ends. Must only read. Where
    /// it falls, writers pass up to the higher page.
    /// </param>
    /// <param name="pauses">
    /// Whether writers pass regardless: while it is known that no space can be reclaimed, or a commit waits for
    /// operations or batches, some of which may wait here for space that is reclaimed after that commit.
    /// </param>
    /// <param name="gate">The gate at which throttled operations wait.</param>
    /// <param name="pageBytes">The page size in bytes.</param>
    public TailThrottle(Func<long> fullFrom, Func<bool> pauses, WaitGate gate, long pageBytes)
    {
        (_fullFrom, _pauses, _gate) = (fullFrom, pauses, gate);
        _delay = TimeSpan.FromSeconds(Math.Min(pageBytes / (double)BytesPerSecond, LongestDelay.TotalSeconds));
    }

    /// <summary>The clock of the delay. Not the store's clock, which may stand still.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>Sets whether the calling thread passes the throttle.</summary>
    /// <returns>Whether it passed it until now.</returns>
    public static bool Pass(bool passes)
    {
        bool before = s_passes;
        s_passes = passes;
        return before;
    }

    /// <summary>Starts to delay allocations where the disk space is used up.</summary>
    public void Engage() => _engaged = true;

    /// <summary>Lets every thread pass.</summary>
    public void Disengage()
    {
        _engaged = false;
        _gate.Signal();
    }

    /// <summary>Whether an allocation in the tail's page, or the turn to the next page, must wait.</summary>
    public bool HoldsBack(long page)
    {
        if (page < Volatile.Read(ref _free) || !_engaged || s_passes || !IsFull(page) || _pauses()) return false;
        lock (_lock)
        {
            if (!_ticks)
            {
                _ticks = true;
                _ = BackgroundTasks.Run(TickWhileDelayed);
            }

            if (page <= _passed) return false; // a thread may be late with an earlier page
            _delayed = page;
            if (!_delays) (_delays, _since) = (true, Time.GetTimestamp());
            if (Time.GetElapsedTime(_since) < _delay) return true;
            (_delays, _passed) = (false, page);
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _engaged = false;
        lock (_lock)
        {
            _ticks = true; // no task is started any more
            _isDisposed = true;
        }
    }

    private bool IsFull(long page)
    {
        long free = _fullFrom();
        Volatile.Write(ref _free, free); // an older value only causes another check
        return page >= free;
    }

    // Parked operations check again when the gate is signaled.
    private void TickWhileDelayed()
    {
        for (bool ticks = true; ticks;)
        {
            Thread.Sleep(Tick);
            lock (_lock)
            {
                if (_isDisposed) return;
                if (!_engaged || !IsFull(_delayed)) ticks = _ticks = _delays = false;
            }

            _gate.Signal();
        }
    }
}
