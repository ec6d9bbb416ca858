using Faster.Commits;
using Faster.Epochs;
using Faster.Operations;
using Faster.Probes;

namespace Faster.LogSessions;

/// <summary>
/// What one session knows of the commit under way: the version that its operations belong to, and how they treat the
/// records of the other version (paper 004 §5.3).
/// </summary>
/// <remarks>
/// <para>The session calls every member inside its epoch. Its first operation after the coordinator has published
/// InProgress records the session's commit point, which is its own last serial number, before it does anything else.
/// The point is written before the version that it belongs to, and that version before any later serial number. So a
/// reader that reads the serial number, and then finds no point recorded for a version, may take the serial number as
/// the point.</para>
/// <para>In all phases but Prepare, with a stable index, the session notes its epoch as quiet, and does not read the
/// state again while that epoch is the current one: whatever ends the quiet state is published first, and the epoch is
/// bumped after that.</para>
/// </remarks>
internal sealed unsafe class SessionCommitState(CommitState commits, Attempt attempt)
{
    private long _committing; // the version being committed; 0 at rest
    private bool _exclusive;

    /// <summary>The version that the session's operations belong to.</summary>
    public long Version { get; private set; }

    /// <summary>The version being committed; 0 at rest.</summary>
    public long CommittingVersion => _committing;

    /// <summary>The phase as the session last saw it.</summary>
    public CommitPhase Phase { get; private set; }

    /// <summary>Whether a sync has failed.</summary>
    public bool IsPoisoned { get; private set; }

    /// <summary>Whether the session may note its epoch as quiet, so that operations take the hit path.</summary>
    public bool MayBeQuiet { get; set; } = true;

    /// <summary>Reads the state, and records the commit point if the phase requires it.</summary>
    public void Refresh(EpochSlot* slot)
    {
        Probe.Point(ProbePoint.CommitPhase);
        SystemState state = commits.Current;
        Phase = state.Phase;
        Version = state.OperationVersion;
        IsPoisoned = state.IsPoisoned;
        _committing = Phase == CommitPhase.Rest ? 0 : state.Version;
        _exclusive = Phase is CommitPhase.InProgress or CommitPhase.WaitPending;
        if (Phase >= CommitPhase.InProgress && slot->PointVersion != state.Version)
        {
            slot->Point = slot->Serial;
            Volatile.Write(ref slot->PointVersion, state.Version);
        }

        attempt.SetVersion(Version, _committing, _exclusive, mayCopy: Phase != CommitPhase.Resume);
        bool isQuiet = Phase != CommitPhase.Prepare && !IsPoisoned && MayBeQuiet
            && QuietView.Of(slot)->TryNote(attempt.Tier, attempt.Version);
        QuietView.Of(slot)->Note(isQuiet ? slot->Epoch : 0, attempt.Clock);
        attempt.Space.Begin(attempt.Version, takesLatch: !attempt.Bucket.IsFree);
    }

    /// <summary>Makes the session's next operation check the store again.</summary>
    public void ForgetQuiet(EpochSlot* slot) => QuietView.Of(slot)->Note(0, attempt.Clock);

    /// <summary>
    /// Makes the following attempts work at the version of a pending operation; called again with the session's own.
    /// </summary>
    /// <param name="version">The operation's version: the session's own, or the one being committed.</param>
    public void WorkAt(long version) => attempt.SetVersion(version, _committing, _exclusive, mayCopy: true);
}
