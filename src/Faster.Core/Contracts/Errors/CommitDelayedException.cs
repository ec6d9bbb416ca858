namespace Faster;

/// <summary>
/// A commit waits for a read whose caller stands still: the read hands a value larger than a page to a writer that
/// takes nothing more. Or it waits for a batch under one serial number. Not thrown: it becomes
/// <see cref="StoreStatistics.LastFault"/>, and the commit goes on when the read or the batch ends.
/// </summary>
public sealed class CommitDelayedException : FasterException
{
    /// <inheritdoc/>
    public CommitDelayedException() { }

    /// <inheritdoc/>
    public CommitDelayedException(string message) : base(message) { }

    /// <inheritdoc/>
    public CommitDelayedException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>The version that is being committed.</summary>
    public long Version { get; init; }

    /// <summary>The name of the session that the commit waits for; null when it has none.</summary>
    public string? SessionName { get; init; }

    /// <summary>The serial number of the read; the last one before the batch.</summary>
    public long SerialNumber { get; init; }
}
