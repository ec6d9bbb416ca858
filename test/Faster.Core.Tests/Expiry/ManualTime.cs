using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Expiry;

/// <summary>
/// A time that stands still until it is moved, at a point where a scheduler may switch; its timers go off as it passes
/// them. Periods are not known.
/// </summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<Timer> _timers = [];
    private TaskCompletionSource _added = NewSource(); // completes with the next timer
    private long _milliseconds = new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero).ToUnixTimeMilliseconds();

    /// <summary>Unix milliseconds.</summary>
    public long Now => Volatile.Read(ref _milliseconds);

    /// <summary>How many timers wait: periodic checks have finished their current check.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock) return _timers.Count;
        }
    }

    public override long TimestampFrequency => 1_000;

    public override long GetTimestamp() => Now;

    public void Advance(long milliseconds)
    {
        Probe.Point(ProbePoint.Clock);
        Interlocked.Add(ref _milliseconds, milliseconds);
        RunDue();
    }

    /// <summary>Moves the time once a timer waits for it, however long it takes until then.</summary>
    public async Task PassAsync(long milliseconds)
    {
        while (NextTimer() is { } added) await added;
        Advance(milliseconds);
    }

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.FromUnixTimeMilliseconds(Now);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private Task? NextTimer()
    {
        lock (_lock) return _timers.Count > 0 ? null : _added.Task;
    }

    private void RunDue()
    {
        List<Timer> due;
        lock (_lock)
        {
            due = _timers.FindAll(timer => timer.Due <= Now);
            _timers.RemoveAll(due.Contains);
        }

        foreach (Timer timer in due) timer.Run();
    }

    private sealed class Timer(ManualTime time, Action run) : ITimer
    {
        public long Due { get; private set; }

        public Action Run => run;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._lock)
            {
                time._timers.Remove(this);
                if (dueTime == Timeout.InfiniteTimeSpan) return true;
                Due = time.Now + (long)Math.Ceiling(dueTime.TotalMilliseconds);
                time._timers.Add(this);
                time._added.SetResult();
                time._added = NewSource();
            }

            time.RunDue(); // it may have come between
            return true;
        }

        public void Dispose()
        {
            lock (time._lock) time._timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
