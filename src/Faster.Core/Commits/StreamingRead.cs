namespace Faster.Commits;

/// <summary>A read that streams its value to the caller piece by piece; disposed of when it ends.</summary>
/// <param name="reads">The list that the read is in.</param>
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

    /// <summary>The number of bytes that the caller has taken.</summary>
    public long Taken => Volatile.Read(ref _taken);

    /// <summary>When the caller last took bytes, by the clock of the reads; at first, when the read began.</summary>
    public long MovedAt => Volatile.Read(ref _movedAt);

    /// <summary>Records the number of bytes that the caller has taken in all.</summary>
    public void Move(long taken)
    {
        Volatile.Write(ref _taken, taken);
        Volatile.Write(ref _movedAt, reads.Now);
    }

    /// <summary>Ends the read. Idempotent.</summary>
    public void Dispose() => reads.Remove(this);
}
