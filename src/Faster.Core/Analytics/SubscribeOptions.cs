namespace Faster;

/// <summary>Where a subscription to the log's tail begins, and when it gets to see what is written.</summary>
public sealed record SubscribeOptions
{
    /// <summary>
    /// The address to begin at: <see cref="TailItem{T}.NextAddress"/> of the last item that a subscriber has dealt
    /// with, to go on behind it, or <see cref="Beginning"/>. Null: with what becomes immutable from now on.
    /// </summary>
    public long? FromAddress { get; init; }

    /// <summary>The address that stands for the oldest record there is.</summary>
    public const long Beginning = 0;

    /// <summary>
    /// How often, at the least, what is updated in place is frozen so that the subscriber sees it; updates of it are
    /// copies then, as after a fold-over commit. Subscribers share the freezing. Null: records are seen when the log
    /// has moved on so far that they are not updated in place any more, or a commit has frozen them.
    /// </summary>
    public TimeSpan? FreezeEvery { get; init; }

    /// <summary>
    /// Whether only records that a commit covers are given: what has been seen then outlives a crash, and a subscriber
    /// may resume at its address afterwards. <see cref="FreezeEvery"/> does not apply.
    /// </summary>
    public bool CommittedOnly { get; init; }

    internal void Validate()
    {
        if (FreezeEvery is { } every && (every < TimeSpan.FromMilliseconds(1) || every > TimeSpan.FromDays(1)))
        {
            throw new ArgumentOutOfRangeException(
                nameof(FreezeEvery), every, "SubscribeOptions.FreezeEvery must be from a millisecond to a day.");
        }

        if (FromAddress is { } from && (from < 0 || from % 8 != 0))
        {
            throw new ArgumentOutOfRangeException(
                nameof(FromAddress), from,
                "SubscribeOptions.FromAddress must be the NextAddress of an item, or Beginning.");
        }
    }
}
