namespace CountStore.Counting;

/// <summary>
/// The updates of one session that failed while they waited for the disk. Each keeps its serial number, so a commit
/// may cover it, and its key is not counted.
/// </summary>
/// <remarks>Not thread-safe: read it after the session has ended.</remarks>
internal sealed class FailedUpdates
{
    /// <summary>The lowest of their serial numbers; <see cref="long.MaxValue"/> where none has failed.</summary>
    public long First { get; private set; } = long.MaxValue;

    /// <summary>Adds one.</summary>
    public void Add(long serialNumber) => First = Math.Min(First, serialNumber);
}
