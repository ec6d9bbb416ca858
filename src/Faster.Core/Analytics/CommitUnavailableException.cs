namespace Faster;

/// <summary>Thrown when the state as of a commit can no longer be reconstructed.</summary>
public sealed class CommitUnavailableException : FasterException
{
    /// <inheritdoc/>
    public CommitUnavailableException() { }

    /// <inheritdoc/>
    public CommitUnavailableException(string message) : base(message) { }

    /// <inheritdoc/>
    public CommitUnavailableException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>The version of the commit.</summary>
    public long Version { get; init; }

    internal static CommitUnavailableException Of(long version, string reason) => new(
        $"The state as of commit {version} is unavailable: {reason}. ScannableCommits lists the available ones.")
    {
        Version = version,
    };
}
