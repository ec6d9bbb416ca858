namespace Faster.Compaction.Copying;

/// <summary>
/// Limits the rate of background reads to <see cref="BytesPerSecond"/> plus five quarters of the log's growth, so that
/// they never fall behind the writers, and do not keep the disk busy after an opening. Not thread-safe.
/// </summary>
/// <param name="tail">The log's tail at the start.</param>
/// <param name="time">The clock of the disk's time, not the store's clock.</param>
internal sealed class ReadRateLimiter(long tail, TimeProvider time)
{
    /// <summary>The bytes that may be read in a second in which nothing is written.</summary>
    public const long BytesPerSecond = 32 << 20;

    /// <summary>The bytes that may be read at once after a rest.</summary>
    public const long Burst = 4 << 20;

    private static readonly TimeSpan MinPause = TimeSpan.FromMilliseconds(15); // the resolution of a timer

    private long _tail = tail;
    private long _since = time.GetTimestamp();
    private long _credit = Burst;

    /// <summary>Accounts for a read.</summary>
    /// <param name="bytes">The number of bytes read.</param>
    /// <param name="tail">The log's current tail.</param>
    /// <returns>How long to pause before more is read; zero for pauses too short for a timer.</returns>
    public TimeSpan After(long bytes, long tail)
    {
        long now = time.GetTimestamp();
        long earned = (long)(time.GetElapsedTime(_since, now).TotalSeconds * BytesPerSecond);
        long rested = Math.Max(_credit, Math.Min(_credit + earned, Burst));
        _credit = rested + ((tail - _tail) / 4 * 5) - bytes;
        (_since, _tail) = (now, tail);
        TimeSpan pause = TimeSpan.FromSeconds(Math.Max(-_credit, 0) / (double)BytesPerSecond);
        return pause >= MinPause ? pause : TimeSpan.Zero;
    }
}
