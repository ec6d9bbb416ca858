namespace Faster.Tests.LogCommits;

/// <summary>Judges what a store and its commit hold of the operations of several sessions.</summary>
internal static class CommitCheck
{
    public const string Lost = "Operations are lost", NoPrefix = "The commit is no prefix";

    /// <summary>No operation is lost, and none counts twice.</summary>
    public static void Whole(long expected, long found) =>
        Assert.True(expected == found, $"{Lost}: {found:x} instead of {expected:x}.");

    /// <summary>A commit holds the operations up to the sessions' points, and no other.</summary>
    public static void Prefix(long expected, long captured) =>
        Assert.True(expected == captured, $"{NoPrefix}: {captured:x} instead of {expected:x}.");
}
