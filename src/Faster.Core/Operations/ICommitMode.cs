using Faster.Contracts;

namespace Faster.Operations;

/// <summary>How an attempt treats the records of two versions while a commit is under way (paper 004 §5.3).</summary>
/// <remarks>Empty structs: the algorithms are compiled once for each, so that at rest nothing is checked.</remarks>
internal interface ICommitMode
{
    /// <summary>Whether a record of the next version stops the attempt with <see cref="Outcome.CprShift"/>.</summary>
    static abstract bool StopsAtNext { get; }

    /// <summary>
    /// Whether a record of the version being committed is copied instead of changed, whatever its address.
    /// </summary>
    static abstract bool CopiesOld { get; }
}

/// <summary>No commit is under way, or none that affects the attempt.</summary>
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
