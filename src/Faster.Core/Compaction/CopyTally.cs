namespace Faster.Compaction;

/// <summary>What a run of compaction has looked at and copied. Used by the thread that runs it.</summary>
internal sealed class CopyTally
{
    /// <summary>Records looked at.</summary>
    public long Examined { get; set; }

    /// <summary>Records copied.</summary>
    public long Copied { get; set; }

    /// <summary>The bytes of the records copied.</summary>
    public long BytesCopied { get; set; }

    /// <summary>A copy has been linked.</summary>
    public void Count(long bytes)
    {
        Copied++;
        BytesCopied += bytes;
    }
}
