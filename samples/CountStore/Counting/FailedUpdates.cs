namespace CountStore.Counting;

/// <summary>
/// The updates of one session that failed while they waited for the disk. Each keeps its serial number, so a commit, or
/// a later update that is durable by itself, may cover it, and its key is not counted.
/// </summary>
/// <remarks>Not thread-safe: read it after the session has ended.</remarks>
internal sealed class FailedUpdates
{
    /// <summary>The lowest of their serial numbers; <see cref="long.MaxValue"/> where none has failed.</summary>
    public long First { get; private set; } = long.MaxValue;

    /// <summary>The highest number of an update that was durable when it was acknowledged; 0 where none was.</summary>
    public long LastDurable { get; private set; }

    /// <summary>Notes an update that is durable.</summary>
    public void AddDurable(long serialNumber) => LastDurable = Math.Max(LastDurable, serialNumber);

    /// <summary>Adds one.</summary>
    public void Add(long serialNumber) => First = Math.Min(First, serialNumber);
}
