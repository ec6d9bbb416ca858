namespace Faster;

/// <summary>
/// Thrown when a part of the log that a scan still needs has been truncated: by compaction, expiry or an explicit call.
/// </summary>
public sealed class LogTruncatedException : FasterException
{
    /// <inheritdoc/>
    public LogTruncatedException() { }

    /// <inheritdoc/>
    public LogTruncatedException(string message) : base(message) { }

    /// <inheritdoc/>
    public LogTruncatedException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>The lowest address that the scan still needed.</summary>
    public long NeededAddress { get; init; }

    /// <summary>The log's current begin address.</summary>
    public long BeginAddress { get; init; }

    internal static LogTruncatedException Of(long needed, long begin, Exception? cause = null) => new(
        $"The scan needs the log from address {needed:N0} on, but the log was truncated meanwhile and now begins at "
        + $"{begin:N0}. Start the scan again, or scan while no compaction runs.", cause)
    {
        NeededAddress = needed,
        BeginAddress = begin,
    };
}
