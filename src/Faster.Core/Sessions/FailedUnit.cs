namespace Faster.Sessions;

/// <summary>
/// A unit that has written a part and ended before it was whole. What it has written is in records that others may have
/// read and updated since, so it can't be taken back: no commit may hold it.
/// </summary>
/// <param name="SessionName">The name of its session, or null.</param>
/// <param name="SerialNumber">Its number.</param>
/// <param name="Cause">The failure of a pending operation of it, or null: its caller has thrown, or left it.</param>
internal sealed record FailedUnit(string? SessionName, long SerialNumber, Exception? Cause)
{
    /// <summary>The error of the unit's session, and of the commits that would hold a part of the unit.</summary>
    public FasterException ToException() => new(
        ErrorReason.UnitFailed,
        $"The unit under serial number {SerialNumber} of "
        + $"{(SessionName is null ? "a session without a name" : $"session '{SessionName}'")} has failed half-way: "
        + "an operation of it threw, or it was not completed. What it has written can't be taken back. So its session "
        + "takes no more operations, and the store makes no more commits: they would hold a part of the unit. Close "
        + "the store, and open it again: it continues from its last commit, which has nothing of the unit."
        + (Cause is null ? "" : $" Cause: {Cause.Message}"),
        Cause);
}
