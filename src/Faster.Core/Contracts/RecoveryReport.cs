namespace Faster;

/// <summary>Describes what opening a store has recovered, and from which commit.</summary>
public sealed record RecoveryReport
{
    /// <summary>The version of the recovered commit.</summary>
    public required long Version { get; init; }

    /// <summary>The commit points of the sessions that can be continued.</summary>
    public required IReadOnlyList<CommitPoint> Sessions
    {
        get;
        init => field = ContentList<CommitPoint>.Of(value);
    }

    /// <summary>
    /// The newer commits that were skipped because they are damaged, with the reason for each. Empty unless
    /// <see cref="CommittingStoreOptions.AllowOlderCommit"/> allowed an older one in their place.
    /// </summary>
    public required IReadOnlyList<DamagedDataException> Skipped
    {
        get;
        init => field = ContentList<DamagedDataException>.Of(value);
    }

    /// <summary>
    /// The number of bytes of log that were replayed on top of the index checkpoint, and of operation logs after that.
    /// </summary>
    public required long BytesReplayed { get; init; }

    /// <summary>
    /// How far the clock is behind the time of the commit. The store's time stands still for this long, so that no
    /// expired record becomes readable again. Zero if the clock is not behind; see
    /// <see cref="LogStoreOptions.AllowClockRollback"/>.
    /// </summary>
    public TimeSpan ClockBehind { get; init; }

    /// <summary>The duration of the recovery.</summary>
    public required TimeSpan Elapsed { get; init; }
}
