using Faster.Checkpoints;
using Faster.Commits;
using Faster.Log;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>Forwards a commit's events to a store.</summary>
/// <remarks>Used by the coordinator alone.</remarks>
/// <param name="core">What the store's tiers share.</param>
/// <param name="onPhase">Called when a phase has been published; or null.</param>
/// <param name="onDurable">Called when a commit is durable, before the sessions are informed; or null.</param>
/// <param name="onCommitted">Called when all sessions are informed; may throw.</param>
internal sealed class CommitHost(
    StoreCore core, Action<CommitPhase>? onPhase, Action<Commit, CommitRecord>? onDurable, Action<Commit> onCommitted)
    : ICommitHost
{
    /// <inheritdoc/>
    public long Clock => core.Clock.Now;

    /// <summary>Makes the coordinator of the store's commits.</summary>
    public CommitCoordinator MakeCoordinator(
        IReadOnlyList<ICommitParticipant> participants, CommitPublisher publisher, CommitRecord? recovered) =>
        new(core.Commits, new StepWaits(core.Epochs), participants, publisher,
            core.Sessions, this, core.Options.TimeProvider, recovered);

    /// <inheritdoc/>
    public void OnPhase(CommitPhase phase) => onPhase?.Invoke(phase);

    /// <inheritdoc/>
    public void OnDurable(Commit commit, CommitRecord record) => onDurable?.Invoke(commit, record);

    /// <inheritdoc/>
    public void OnCommitted(Commit commit)
    {
        try
        {
            onCommitted(commit);
        }
        catch (Exception e)
        {
            core.OnFault(e);
        }
    }

    /// <inheritdoc/>
    public void OnFault(Exception fault) => core.OnFault(fault);
}
