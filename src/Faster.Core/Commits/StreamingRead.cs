namespace Faster.Commits;

/// <summary>One read that hands its value on piece by piece; disposed of when it ends.</summary>
/// <param name="reads">Where it is listed.</param>
/// <param name="session">The name of its session, or null.</param>
/// <param name="serial">Its serial number.</param>
/// <param name="version">The version in which it was accepted.</param>
/// <param name="length">The value's length in bytes.</param>
internal sealed class StreamingRead(StreamingReads reads, string? session, long serial, long version, long length)
    : IDisposable
{
    private long _movedAt = reads.Now;
    private long _taken;

    /// <summary>The name of its session, or null.</summary>
    public string? Session => session;

    /// <summary>Its serial number.</summary>
    public long Serial => serial;

    /// <summary>The version in which it was accepted.</summary>
    public long Version => version;

    /// <summary>The value's length in bytes.</summary>
    public long Length => length;

    /// <summary>How many of them have been taken.</summary>
    public long Taken => Volatile.Read(ref _taken);

    /// <summary>When that was last more than before, by the reads' clock.</summary>
    public long MovedAt => Volatile.Read(ref _movedAt);

    /// <summary>The caller has taken so many bytes in all.</summary>
    public void Move(long taken)
    {
        Volatile.Write(ref _taken, taken);
        Volatile.Write(ref _movedAt, reads.Now);
    }

    /// <summary>It has ended. Idempotent.</summary>
    public void Dispose() => reads.Remove(this);
}
