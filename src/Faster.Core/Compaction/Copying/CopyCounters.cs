namespace Faster.Compaction.Copying;

/// <summary>
/// The numbers of records and bytes that a compaction's thread has examined and copied. Not thread-safe.
/// </summary>
internal sealed class CopyCounters
{
    /// <summary>The number of records examined.</summary>
    public long Examined { get; set; }

    /// <summary>The number of records copied.</summary>
    public long Copied { get; set; }

    /// <summary>The bytes of the copied records and of the fragments of their values.</summary>
    public long BytesCopied { get; set; }

    /// <summary>Adds the counters of another thread of the run.</summary>
    public void Add(CopyCounters other)
    {
        Examined += other.Examined;
        Copied += other.Copied;
        BytesCopied += other.BytesCopied;
    }

    /// <summary>Counts a copy that has been linked.</summary>
    public void Count(long bytes)
    {
        Copied++;
        BytesCopied += bytes;
    }
}
