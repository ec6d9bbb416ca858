namespace Faster;

/// <summary>What the opening of a store has recovered, and from what.</summary>
public sealed record RecoveryReport
{
    /// <summary>The version of the commit that was recovered.</summary>
    public required long Version { get; init; }

    /// <summary>The sessions that may be continued, each with its commit point.</summary>
    public required IReadOnlyList<CommitPoint> Sessions
    {
        get;
        init => field = ContentList<CommitPoint>.Of(value);
    }

    /// <summary>
    /// The newer commits that could not be trusted, and why: empty, unless <see cref="StoreOptions.FallBack"/> allowed
    /// an older one in their place.
    /// </summary>
    public required IReadOnlyList<DamagedDataException> Skipped
    {
        get;
        init => field = ContentList<DamagedDataException>.Of(value);
    }

    /// <summary>The bytes of log that were replayed over the checkpoint of the index.</summary>
    public required long BytesReplayed { get; init; }

    /// <summary>
    /// How far the clock is behind that of the commit: so long the store's time stands still, so that nothing which has
    /// expired comes back. Zero where the clock is right; see <see cref="StoreOptions.ClockMayGoBack"/>.
    /// </summary>
    public TimeSpan ClockBehind { get; init; }

    /// <summary>The time that the recovery took.</summary>
    public required TimeSpan Elapsed { get; init; }
}
