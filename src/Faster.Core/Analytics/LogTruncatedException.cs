namespace Faster;

/// <summary>A part of the log that a scan still needed was given up: by compaction, expiry or truncation.</summary>
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

    /// <summary>Where the log begins now.</summary>
    public long BeginAddress { get; init; }

    internal static LogTruncatedException Of(long needed, long begin, Exception? cause = null) => new(
        $"The scan needs the log from address {needed:N0} on, but it begins at {begin:N0} by now: what lay below was "
        + "given up meanwhile. Begin the scan again, or scan while no compaction runs.", cause)
    {
        NeededAddress = needed,
        BeginAddress = begin,
    };
}
