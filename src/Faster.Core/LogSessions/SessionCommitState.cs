using Faster.Commits;
using Faster.Epochs;
using Faster.Operations;

namespace Faster.LogSessions;

/// <summary>
/// What one session over a log knows of the commit under way: also how its operations treat the records of the other
/// version.
/// </summary>
/// <remarks>
/// In all phases but Prepare, with a stable index, the session notes its epoch as quiet, and does not read the state
/// again while that epoch is the current one: whatever ends the quiet state is published first, and the epoch is bumped
/// after that.
/// </remarks>
internal sealed unsafe class SessionCommitState(CommitState commits, Attempt attempt) : CommitView(commits)
{
    private bool IsExclusive => Phase is CommitPhase.InProgress or CommitPhase.WaitPending;

    /// <inheritdoc/>
    public override void ForgetQuiet(EpochSlot* slot) => QuietView.Of(slot)->Note(0, attempt.Clock);

    /// <summary>
    /// Makes the following attempts work at the version of a pending operation; called again with the session's own.
    /// </summary>
    /// <param name="version">The operation's version: the session's own, or the one being committed.</param>
    public void WorkAt(long version) => attempt.SetVersion(version, CommittingVersion, IsExclusive, mayCopy: true);

    /// <inheritdoc/>
    protected override void OnRefreshed(EpochSlot* slot)
    {
        attempt.SetVersion(Version, CommittingVersion, IsExclusive, mayCopy: Phase != CommitPhase.Resume);
        bool isQuiet = Phase != CommitPhase.Prepare && !IsPoisoned && MayBeQuiet
            && QuietView.Of(slot)->TryNote(attempt.Tier, attempt.Version);
        QuietView.Of(slot)->Note(isQuiet ? slot->Epoch : 0, attempt.Clock);
        if (attempt.Entry is { } entry) QuietView.Of(slot)->KeepFromUpdates(entry.Journal.ReadsAwait);
        attempt.Space.Begin(attempt.Version, takesLatch: !attempt.Bucket.IsFree);
    }
}
