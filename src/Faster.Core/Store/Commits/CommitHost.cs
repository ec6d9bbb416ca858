using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Log;
using Faster.Store.Pending;

namespace Faster.Store.Commits;

/// <summary>Forwards a commit's events to a store.</summary>
/// <remarks>Used by the coordinator alone.</remarks>
internal sealed class CommitHost<TProbe>(FasterStore<TProbe> store) : ICommitHost
    where TProbe : struct, IProbe
{
    /// <inheritdoc/>
    public long Clock => store.Core.Clock.Now;

    /// <summary>Makes the coordinator of the store's commits.</summary>
    public CommitCoordinator<TProbe> MakeCoordinator(
        IReadOnlyList<ICommitParticipant> participants, CommitPublisher publisher, CommitRecord? recovered) =>
        new(store.Core.Commits, new StepWaits<TProbe>(store.Core.Epochs), participants, publisher,
            store.Core.Sessions, this, store.Core.Options.TimeProvider, recovered);

    /// <inheritdoc/>
    public void OnPhase(CommitPhase phase)
    {
        store.Core.PendingMemory.OnPhase();
        if (phase == CommitPhase.WaitPending) store.Core.WakeIO();
    }

    /// <inheritdoc/>
    public void OnDurable(Commit commit, CommitRecord record) => store.Analytics.OnCommitted(commit, record);

    /// <inheritdoc/>
    public void OnCommitted(Commit commit)
    {
        try
        {
            store.OnCommitted(commit);
        }
        catch (Exception e)
        {
            store.OnFault(e);
        }
    }

    /// <inheritdoc/>
    public void OnFault(Exception fault) => store.OnFault(fault);
}
