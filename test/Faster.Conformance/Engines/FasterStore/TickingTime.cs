using Faster.Conformance.Histories;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>A clock that a test moves in ticks; a thread that reads it lingers a moment afterwards.</summary>
internal class TickingTime : TimeProvider
{
    private long _ticks;

    /// <summary>One tick.</summary>
    public static TimeSpan Tick => TimeSpan.FromSeconds(1);

    /// <summary>How many ticks have passed.</summary>
    public long Passed => Volatile.Read(ref _ticks);

    /// <summary>Lets one tick pass.</summary>
    public void Advance() => Interlocked.Increment(ref _ticks);

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow()
    {
        DateTimeOffset now = DateTimeOffset.UnixEpoch + (Tick * Passed);
        Interleaving.Point();
        return now;
    }
}
