namespace Faster;

/// <summary>
/// Where a commit has cut one session's operations: those up to a serial number are durable, those after are not
/// (paper 004, Definition 1).
/// </summary>
/// <remarks>
/// The store chooses the point, not the client: to honour a point that clients choose beforehand, every operation after
/// it would have to wait until all sessions have reached theirs (paper 004 §2). Equal to another point of
/// the same content. Immutable; thread-safe.
/// </remarks>
/// <param name="SessionName">The session's name; null for an unnamed one.</param>
/// <param name="SerialNumber">The number of the last operation that is durable; 0 when none is.</param>
/// <param name="Version">The version of the store that was committed; grows by one with each commit.</param>
public sealed record CommitPoint(string? SessionName, long SerialNumber, long Version)
{
    /// <summary>
    /// The serial numbers up to <see cref="SerialNumber"/> that the commit leaves out, ascending. Empty under
    /// <see cref="PendingOrder.Strict"/>, unless an earlier process left some out in relaxed order that have not been
    /// issued again.
    /// </summary>
    public IReadOnlyList<long> Excluded
    {
        get;
        init => field = ContentList<long>.Of(value);
    } = ContentList<long>.Empty;

    /// <summary>Whether the operation of a serial number is durable.</summary>
    public bool Covers(long serialNumber) => serialNumber <= SerialNumber && !Excluded.Contains(serialNumber);
}
