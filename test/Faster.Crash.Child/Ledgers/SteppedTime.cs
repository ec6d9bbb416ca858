namespace Faster.Crash.Ledgers;

/// <summary>A clock that moves only when it is set. Thread-safe.</summary>
public class SteppedTime : TimeProvider
{
    private long _ticks = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).UtcTicks;

    /// <summary>The time.</summary>
    public DateTimeOffset Now
    {
        get => new(Interlocked.Read(ref _ticks), TimeSpan.Zero);
        set => Interlocked.Exchange(ref _ticks, value.UtcTicks);
    }

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => Now;
}
