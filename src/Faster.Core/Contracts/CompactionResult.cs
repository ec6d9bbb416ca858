using System.ComponentModel;

namespace Faster;

/// <summary>What a compaction has truncated, examined and copied.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record CompactionResult
{
    /// <summary>
    /// The new begin address of the log; everything below it has been truncated. Lower than requested if a value larger
    /// than a page was being written at that moment.
    /// </summary>
    public required long BeginAddress { get; init; }

    /// <summary>The number of records that were examined.</summary>
    public required long RecordsExamined { get; init; }

    /// <summary>The number of examined records that were the newest of their key and were copied to the tail.</summary>
    public required long RecordsCopied { get; init; }

    /// <summary>The number of bytes of the log that were copied to the tail.</summary>
    public required long BytesCopied { get; init; }

    /// <summary>The number of bytes of the log that were truncated.</summary>
    public required long BytesReclaimed { get; init; }
}
