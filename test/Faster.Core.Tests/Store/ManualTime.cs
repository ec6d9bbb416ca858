using Faster.Contracts;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Store;

/// <summary>A time that stands still until it is moved, at a point where a scheduler may switch.</summary>
internal sealed class ManualTime : TimeProvider
{
    private long _milliseconds = new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero).ToUnixTimeMilliseconds();

    /// <summary>Unix milliseconds.</summary>
    public long Now => Volatile.Read(ref _milliseconds);

    public void Advance(long milliseconds)
    {
        ScheduledProbe.Point(ProbePoint.Clock);
        Interlocked.Add(ref _milliseconds, milliseconds);
    }

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.FromUnixTimeMilliseconds(Now);
}
