namespace Faster;

/// <summary>What a compaction has come to.</summary>
public sealed record CompactionResult
{
    /// <summary>
    /// Where the log begins now: everything below is gone. Less than was asked for where a value larger than a page is
    /// just being written.
    /// </summary>
    public required long BeginAddress { get; init; }

    /// <summary>How many records were looked at.</summary>
    public required long RecordsExamined { get; init; }

    /// <summary>How many of them were the newest of their key, and went to the tail.</summary>
    public required long RecordsCopied { get; init; }

    /// <summary>The bytes of the log that were copied.</summary>
    public required long BytesCopied { get; init; }

    /// <summary>The bytes of the log that were given up.</summary>
    public required long BytesReclaimed { get; init; }
}
