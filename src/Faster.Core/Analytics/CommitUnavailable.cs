namespace Faster.Analytics;

/// <summary>The error that the state as of a commit can no longer be reconstructed.</summary>
internal static class CommitUnavailable
{
    /// <summary>Makes it.</summary>
    /// <param name="version">The version of the commit.</param>
    /// <param name="reason">Why, as a part of a sentence.</param>
    public static FasterException Of(long version, string reason) => new(
        ErrorReason.CommitUnavailable,
        $"The state as of commit {version} is unavailable: {reason}. ScannableCommits lists the available ones.");
}
