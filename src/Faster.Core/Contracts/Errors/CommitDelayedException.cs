namespace Faster;

/// <summary>
/// Reports that a commit is blocked by a streaming read of a value larger than a page whose consumer has stopped
/// reading, or by a batch under one serial number. It is not thrown: it becomes
/// <see cref="StoreStatistics.LastFault"/>, and the commit continues when the read or the batch ends.
/// </summary>
public sealed class CommitDelayedException : FasterException
{
    /// <inheritdoc/>
    public CommitDelayedException() { }

    /// <inheritdoc/>
    public CommitDelayedException(string message) : base(message) { }

    /// <inheritdoc/>
    public CommitDelayedException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>The version of the store that is being committed.</summary>
    public long Version { get; init; }

    /// <summary>The name of the session that the commit waits for; null if the session is unnamed.</summary>
    public string? SessionName { get; init; }

    /// <summary>The serial number of the read, or the last serial number before the batch.</summary>
    public long SerialNumber { get; init; }
}
