namespace Faster.Crash.Ledgers;

/// <summary>A clock that stands until it is told the time.</summary>
public sealed class SteppedTime : TimeProvider
{
    /// <summary>The time.</summary>
    public DateTimeOffset Now { get; set; } = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => Now;
}
