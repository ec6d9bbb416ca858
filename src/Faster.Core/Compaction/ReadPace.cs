namespace Faster.Compaction;

/// <summary>
/// How fast the background reads: <see cref="BytesPerSecond"/>, and a quarter more than the log grows, so that it never
/// falls behind those who write, nor keeps the disk busy after an opening. Not thread-safe.
/// </summary>
/// <param name="tail">The log's tail as it begins.</param>
/// <param name="time">The time; of the disk, not the store's.</param>
internal sealed class ReadPace(long tail, TimeProvider time)
{
    /// <summary>What is read in a second where nothing is written.</summary>
    public const long BytesPerSecond = 32 << 20;

    /// <summary>What is read at once after a rest.</summary>
    public const long Burst = 4 << 20;

    private static readonly TimeSpan LeastPause = TimeSpan.FromMilliseconds(15); // of a timer

    private long _tail = tail;
    private long _since = time.GetTimestamp();
    private long _credit = Burst;

    /// <summary>So much has been read.</summary>
    /// <param name="bytes">How many bytes.</param>
    /// <param name="tail">The log's tail now.</param>
    /// <returns>How long to pause before more is read.</returns>
    public TimeSpan After(long bytes, long tail)
    {
        long now = time.GetTimestamp();
        long earned = (long)(time.GetElapsedTime(_since, now).TotalSeconds * BytesPerSecond);
        long rested = Math.Max(_credit, Math.Min(_credit + earned, Burst));
        _credit = rested + ((tail - _tail) / 4 * 5) - bytes;
        (_since, _tail) = (now, tail);
        TimeSpan pause = TimeSpan.FromSeconds(Math.Max(-_credit, 0) / (double)BytesPerSecond);
        return pause >= LeastPause ? pause : TimeSpan.Zero;
    }
}
