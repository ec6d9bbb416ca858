using Faster.Commits;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster;

/// <summary>
/// What one session knows of the commit under way: which version its operations belong to, and how they treat the
/// records of the other one (paper 004 §5.3). Also gives the operations their serial numbers.
/// </summary>
/// <remarks>
/// <para>Every member is called by the session's owner inside its epoch. The first operation after the coordinator has
/// published InProgress notes the session's commit point, before it does anything else: its own last serial number. The
/// point is written before the version that it belongs to, and that before any later serial number, in this order; so
/// whoever reads the serial number and then finds no point noted for a version may take the serial number for
/// it.</para>
/// <para>At rest, with a stable index, the session notes its epoch as quiet, and does not look again while that is the
/// current one: whoever ends the quiet publishes that first and bumps the epoch then.</para>
/// </remarks>
internal sealed unsafe class CommitView<TProbe>(CommitState<TProbe> commits, Attempt<TProbe> attempt)
    where TProbe : struct, IProbe
{
    private long _committing; // the version being committed; 0 at rest
    private long _unit;       // the one number of several operations; 0 otherwise
    private bool _exclusive;

    /// <summary>The version that the session's operations belong to.</summary>
    public long Version { get; private set; }

    /// <summary>The version being committed; 0 at rest.</summary>
    public long CommittingVersion => _committing;

    /// <summary>The phase as the session last saw it.</summary>
    public CommitPhase Phase { get; private set; }

    /// <summary>Whether a sync has failed.</summary>
    public bool IsPoisoned { get; private set; }

    /// <summary>Looks at the state, and passes the commit point if it is time to.</summary>
    public void Refresh(EpochSlot* slot)
    {
        TProbe.Point(ProbePoint.CommitPhase);
        SystemState state = commits.Current;
        Phase = state.Phase;
        Version = state.OperationVersion;
        IsPoisoned = state.IsPoisoned;
        bool atRest = Phase == CommitPhase.Rest;
        slot->Quiet = atRest && !IsPoisoned && attempt.Quiet.TryUse() ? slot->Epoch : 0;
        _committing = atRest ? 0 : state.Version;
        _exclusive = Phase is CommitPhase.InProgress or CommitPhase.WaitPending;
        if (Phase >= CommitPhase.InProgress && slot->PointVersion != state.Version)
        {
            slot->Point = slot->Serial;
            Volatile.Write(ref slot->PointVersion, state.Version);
        }

        attempt.SetVersion(Version, _committing, _exclusive, mayCopy: Phase != CommitPhase.Resume);
    }

    /// <summary>
    /// Lets the attempts that follow work at the version of a pending operation, then at the session's.
    /// </summary>
    /// <param name="version">The operation's version; the session's own, or the one being committed.</param>
    public void WorkAt(long version) => attempt.SetVersion(version, _committing, _exclusive, mayCopy: true);

    /// <summary>Counts an operation that is carried out or goes pending.</summary>
    /// <returns>Its serial number.</returns>
    public long Accept(EpochSlot* slot)
    {
        if (_unit != 0) return _unit;
        long serial = slot->Serial + 1;
        Volatile.Write(ref slot->Serial, serial);
        return serial;
    }

    /// <summary>Begins several operations under one number, unless a commit prepares just now.</summary>
    /// <returns>False: leave the epoch and wait for the phase to pass.</returns>
    public bool TryBeginUnit(EpochSlot* slot, long serial)
    {
        if (Phase == CommitPhase.Prepare) return false;
        _unit = serial;
        slot->InUnit = 1;
        return true;
    }

    /// <summary>Ends what <see cref="TryBeginUnit"/> began.</summary>
    public void EndUnit(EpochSlot* slot)
    {
        Volatile.Write(ref slot->Serial, _unit);
        _unit = 0;
        Volatile.Write(ref slot->InUnit, 0);
        commits.Gate.Open();
    }

    /// <summary>Whether operations carry one number just now.</summary>
    public bool IsInUnit => _unit != 0;
}
