namespace Faster;

/// <summary>The state as of a commit can't be told any more.</summary>
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

    internal static CommitUnavailableException Of(long version, string reason) => new(
        $"The state as of commit {version} can't be told: {reason}. ScannableCommits lists those that can.")
    {
        Version = version,
    };
}
