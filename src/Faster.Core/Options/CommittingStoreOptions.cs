using System.ComponentModel;

namespace Faster;

/// <summary>The options of stores that commit to a folder. Immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract record CommittingStoreOptions : EngineOptions
{
    private protected CommittingStoreOptions()
    {
    }

    /// <summary>Whether <see cref="CommitEvery"/> is in its range: the upper bound is that of a timer.</summary>
    internal bool HasValidInterval => CommitEvery >= TimeSpan.Zero && CommitEvery <= TimeSpan.FromDays(40);

    /// <summary>
    /// When what the store has acknowledged is durable: with the next commit, at once, or soon. In a store with
    /// <see cref="Durability.EachOperation"/> a call that is not awaited waits for the disk, an awaited one completes
    /// when it is durable, and a batch waits once. Commits free the logs, and the store makes them when the logs are
    /// half full: of a hybrid log that would fold over and has all records in memory incremental ones, so that they
    /// stay there. A store may be opened with another value than before.
    /// </summary>
    public Durability Durability { get; init; }

    /// <summary>
    /// The interval after the last commit at which the store commits on its own if anything has changed, which bounds
    /// how much recent work is at risk. Zero: it commits only on request. At most 40 days.
    /// </summary>
    public TimeSpan CommitEvery { get; init; }

    /// <summary>
    /// Whether closing the store commits what was done since the last commit. False: what no commit covers is lost, as
    /// by a crash. Without meaning for a store that cannot commit: what it holds ends with it.
    /// </summary>
    public bool CommitOnDispose { get; init; } = true;

    /// <summary>
    /// Whether opening may recover an older commit if the newest one is damaged; <see cref="RecoveryReport.Skipped"/>
    /// then lists the damaged ones. By default opening fails with an exception that names the file and the byte offset.
    /// </summary>
    public bool AllowOlderCommit { get; init; }
}
