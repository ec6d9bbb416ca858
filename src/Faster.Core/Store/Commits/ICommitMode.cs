namespace Faster;

/// <summary>How an attempt treats the records of two versions while a commit is under way (paper 004 §5.3).</summary>
/// <remarks>Empty structs: the protocols are compiled once for each, so that at rest nothing is checked.</remarks>
internal interface ICommitMode
{
    /// <summary>A record of the next version must not be looked at: <see cref="Outcome.Shift"/>.</summary>
    static abstract bool StopsAtNext { get; }

    /// <summary>A record of the version being committed is not changed but copied, whatever its address.</summary>
    static abstract bool CopiesOld { get; }
}

/// <summary>No commit is under way, or none that concerns the attempt.</summary>
internal readonly struct AtRest : ICommitMode
{
    /// <inheritdoc/>
    public static bool StopsAtNext => false;

    /// <inheritdoc/>
    public static bool CopiesOld => false;
}

/// <summary>An operation of the version being committed.</summary>
internal readonly struct OfCommit : ICommitMode
{
    /// <inheritdoc/>
    public static bool StopsAtNext => true;

    /// <inheritdoc/>
    public static bool CopiesOld => false;
}

/// <summary>An operation of the next version.</summary>
internal readonly struct AfterCommit : ICommitMode
{
    /// <inheritdoc/>
    public static bool StopsAtNext => false;

    /// <inheritdoc/>
    public static bool CopiesOld => true;
}
