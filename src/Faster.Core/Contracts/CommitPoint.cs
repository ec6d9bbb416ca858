namespace Faster;

/// <summary>
/// The position at which a commit divides one session's operations: those up to a serial number are durable, those
/// after it are not (paper 004, Definition 1).
/// </summary>
/// <remarks>
/// The store chooses the point, not the client: to honor a point that clients choose in advance, every operation after
/// it would have to wait until all sessions have reached theirs (paper 004 §2). Points with the same content are equal.
/// Immutable and thread-safe.
/// </remarks>
/// <param name="SessionName">The session's name; null for an unnamed session.</param>
/// <param name="SerialNumber">The serial number of the last durable operation; 0 if there is none.</param>
/// <param name="Version">The committed version of the store. Each commit increments it by one.</param>
public sealed record CommitPoint(string? SessionName, long SerialNumber, long Version)
{
    /// <summary>
    /// The serial numbers up to <see cref="SerialNumber"/> that the commit does not cover, in ascending order. Empty
    /// under <see cref="PendingOrder.Strict"/>, unless an earlier process excluded some in relaxed order that have not
    /// been reissued.
    /// </summary>
    /// <exception cref="ArgumentException">The list is not in ascending order.</exception>
    public IReadOnlyList<long> Excluded
    {
        get;
        init => field = ContentList<long>.Of(Ascending(value));
    } = ContentList<long>.Empty;

    /// <summary>Returns whether the operation with the given serial number is durable.</summary>
    /// <param name="serialNumber">The operation's serial number.</param>
    public bool Covers(long serialNumber) => serialNumber <= SerialNumber && !IsExcluded(serialNumber);

    // A binary search, as the list is in ascending order.
    private bool IsExcluded(long serialNumber)
    {
        int from = 0, to = Excluded.Count;
        while (from < to)
        {
            int middle = from + ((to - from) / 2);
            if (Excluded[middle] < serialNumber) from = middle + 1;
            else to = middle;
        }

        return from < Excluded.Count && Excluded[from] == serialNumber;
    }

    private static IReadOnlyList<long> Ascending(IReadOnlyList<long> serials)
    {
        for (int i = 1; i < serials.Count; i++)
        {
            if (serials[i - 1] <= serials[i]) continue;
            throw new ArgumentException(
                $"{serials[i]} follows {serials[i - 1]} in the excluded serial numbers: list them in ascending "
                + "order.", nameof(serials));
        }

        return serials;
    }
}
