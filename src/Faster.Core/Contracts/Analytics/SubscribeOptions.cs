namespace Faster;

/// <summary>
/// Options of a subscription to the log's tail: where it starts, and when it receives written records.
/// </summary>
public sealed record SubscribeOptions
{
    /// <summary>
    /// The address to start at: <see cref="LogEntry{T}.NextAddress"/> of the last item that the subscriber has
    /// processed, to resume after it, or <see cref="Beginning"/>. Null: start with records that become immutable from
    /// now on.
    /// </summary>
    public long? FromAddress { get; init; }

    /// <summary>The value of <see cref="FromAddress"/> that starts at the oldest record in the log.</summary>
    public const long Beginning = 0;

    /// <summary>
    /// The maximum interval at which the log's read-only address is shifted to the tail, so that the subscriber
    /// receives records that are still updated in place; later updates make copies of them, as after a fold-over
    /// commit. Subscribers share the shifts. Null: records are received once they leave the mutable region as the log
    /// grows, or by a commit. From 1 millisecond to 1 day.
    /// </summary>
    public TimeSpan? ShiftReadOnlyEvery { get; init; }

    /// <summary>
    /// Whether to return only records that a commit covers. Records that were received then survive a crash, and a
    /// subscriber may resume at its address afterwards. <see cref="ShiftReadOnlyEvery"/> does not apply.
    /// </summary>
    public bool CommittedOnly { get; init; }

    internal void Validate()
    {
        if (ShiftReadOnlyEvery is { } every && (every < TimeSpan.FromMilliseconds(1) || every > TimeSpan.FromDays(1)))
        {
            throw new ArgumentOutOfRangeException(
                nameof(ShiftReadOnlyEvery), every,
                    "SubscribeOptions.ShiftReadOnlyEvery must be from a millisecond to a day.");
        }

        if (FromAddress is { } from && (from < 0 || from % 8 != 0))
        {
            throw new ArgumentOutOfRangeException(
                nameof(FromAddress), from,
                "SubscribeOptions.FromAddress must be the NextAddress of an item, or Beginning.");
        }
    }
}
