using Faster.Epochs;
using Faster.Probes;

namespace Faster.Commits;

/// <summary>
/// What one session knows of the commit under way: the version that its operations belong to, the phase, and its commit
/// point (paper 004 §5.3).
/// </summary>
/// <remarks>
/// The session calls every member inside its epoch. Its first operation after the coordinator has published InProgress
/// records the session's commit point, which is its own last serial number, before it does anything else. The point is
/// written before the version that it belongs to, and that version before any later serial number. So a reader that
/// reads the serial number, and then finds no point recorded for a version, may take the serial number as the point.
/// </remarks>
/// <param name="commits">The state that the coordinator publishes.</param>
internal unsafe class CommitView(CommitState commits)
{
    /// <summary>The state that the coordinator publishes.</summary>
    public CommitState Commits => commits;

    /// <summary>The version that the session's operations belong to.</summary>
    public long Version { get; private set; }

    /// <summary>The version being committed; 0 at rest.</summary>
    public long CommittingVersion { get; private set; }

    /// <summary>The phase as the session last saw it.</summary>
    public CommitPhase Phase { get; private set; }

    /// <summary>Whether the store is poisoned: it takes no more updates.</summary>
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
        CommittingVersion = Phase == CommitPhase.Rest ? 0 : state.Version;
        if (Phase >= CommitPhase.InProgress && slot->PointVersion != state.Version) NotePoint(slot, state.Version);
        OnRefreshed(slot);
    }

    /// <summary>Makes the session's next operation check the store again.</summary>
    public virtual void ForgetQuiet(EpochSlot* slot) => slot->Quiet = 0;

    /// <summary>Records the session's point in the commit of a version: all that it has done until now.</summary>
    protected static void NotePoint(EpochSlot* slot, long version)
    {
        slot->Point = slot->Serial;
        Volatile.Write(ref slot->PointVersion, version);
    }

    /// <summary>Called when the session has read the state: what its engine derives from it.</summary>
    protected virtual void OnRefreshed(EpochSlot* slot) { }
}
