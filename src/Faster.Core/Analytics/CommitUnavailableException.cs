namespace Faster;

/// <summary>The state as of a commit can't be told from the log.</summary>
public sealed class CommitUnavailableException : FasterException
{
    /// <inheritdoc/>
    public CommitUnavailableException() { }

    /// <inheritdoc/>
    public CommitUnavailableException(string message) : base(message) { }

    /// <inheritdoc/>
    public CommitUnavailableException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>The commit's version.</summary>
    public long Version { get; init; }
}
