using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>What commits tell a store.</summary>
/// <remarks>Used by the coordinator alone.</remarks>
internal sealed class CommitHost<TProbe>(FasterStore<TProbe> store) : ICommitHost
    where TProbe : struct, IProbe
{
    /// <inheritdoc/>
    public long Clock => store.Clock.Now;

    /// <summary>Makes what makes the store's commits.</summary>
    public CommitCoordinator<TProbe> MakeCoordinator(
        IReadOnlyList<ICommitParticipant> participants, CommitPublisher publisher, CommitRecord? recovered) =>
        new(store.Commits, new StepWaits<TProbe>(store.Epochs), participants, publisher, store.Sessions, this,
            store.Options.TimeProvider, recovered);

    /// <inheritdoc/>
    public void OnPhase(CommitPhase phase)
    {
        store.PendingMemory.OnPhase();
        if (phase == CommitPhase.WaitPending) store.Pump.Wake();
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
