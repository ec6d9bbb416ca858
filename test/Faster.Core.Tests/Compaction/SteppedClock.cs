namespace Faster.Tests.Compaction;

/// <summary>A clock that stands still until it is put forward, timers included.</summary>
internal sealed class SteppedClock : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<Timer> _timers = [];
    private TimeSpan _now = TimeSpan.FromDays(1000);

    /// <summary>How many timers wait.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock) return _timers.Count(static timer => timer.Due < TimeSpan.MaxValue);
        }
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(GetTimestamp(), TimeSpan.Zero);

    public override long GetTimestamp()
    {
        lock (_lock) return _now.Ticks;
    }

    public void Advance(TimeSpan by)
    {
        Timer[] due;
        lock (_lock)
        {
            _now += by;
            due = [.. _timers.Where(timer => timer.Due <= _now)];
            foreach (Timer timer in due) timer.Due = TimeSpan.MaxValue;
        }

        foreach (Timer timer in due) timer.Fire();
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, callback, state);
        lock (_lock) _timers.Add(timer);
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class Timer(SteppedClock clock, TimerCallback callback, object? state) : ITimer
    {
        public TimeSpan Due { get; set; } = TimeSpan.MaxValue;

        public void Fire() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._lock) Due = dueTime < TimeSpan.Zero ? TimeSpan.MaxValue : clock._now + dueTime;
            return true;
        }

        public void Dispose()
        {
            lock (clock._lock) clock._timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
