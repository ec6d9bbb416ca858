using Faster.Contracts;
using Faster.Log;

namespace Faster.Commits;

/// <summary>
/// The order of a commit's steps (paper 004 §5.3, Fig. 6): takes the store from version v to v + 1 while operations go
/// on.
/// </summary>
/// <remarks>
/// <para>No session is needed for a phase to pass: a phase is published, then the epoch is bumped, and when that is
/// safe everyone inside has seen it. Idle sessions see it when they come; the point of those that did not come is
/// their last serial number.</para>
/// <para>The controlled scheduler runs these steps beside operations: so they wait only through
/// <see cref="IStepWaits"/>, and for what the commit itself does (<see cref="ICommitSteps"/>, its participants). Why
/// the points are exact: docs/COMMITS.md. One commit at a time.</para>
/// </remarks>
/// <param name="state">What sessions see of it.</param>
/// <param name="participants">The parts of the store, in the order in which each step comes to them.</param>
/// <param name="waits">How a step waits.</param>
/// <param name="steps">The commit.</param>
internal sealed class CommitPhases<TProbe>(
    CommitState<TProbe> state, IReadOnlyList<ICommitParticipant> participants, IStepWaits waits, ICommitSteps steps)
    where TProbe : struct, IProbe
{
    private int _beginsHeld; // of the participants, from the first on

    /// <summary>Makes the store's version durable.</summary>
    public async Task RunAsync()
    {
        long version = state.Current.Version;
        try
        {
            // The begin does not rise before all of the version is done: no operation sees one that the commit has not.
            foreach (ICommitParticipant participant in participants)
            {
                await waits.EnterAsync(participant.BeginRising).ConfigureAwait(false);
                _beginsHeld++;
            }

            if (TProbe.Has(SeededBug.BeginRisesBesideCommit)) LetBeginsRise();
            NoteBegins();
            await PassAsync(CommitPhase.Prepare, version).ConfigureAwait(false);
            Task noUnits = waits.UntilAsync(
                state.Gate, () => !steps.IsAnyInUnit || TProbe.Has(SeededBug.UnitsNotAwaited));
            await steps.WatchAsync(CommitPhase.Prepare, noUnits).ConfigureAwait(false);
            foreach (ICommitParticipant participant in participants) participant.NoteStart();
            await PassAsync(CommitPhase.InProgress, version).ConfigureAwait(false);
            steps.Collect();
            Publish(CommitPhase.WaitPending, version);
            if (state.Order == PendingOrder.Strict)
            {
                Task nonePending = waits.UntilAsync(state.Gate, () => state.PendingOf(version) == 0);
                await steps.WatchAsync(CommitPhase.WaitPending, nonePending).ConfigureAwait(false);
            }

            Publish(CommitPhase.WaitFlush, version);
            LetBeginsRise();
            await CaptureAsync(version).ConfigureAwait(false);
        }
        finally
        {
            LetBeginsRise();
            foreach (ICommitParticipant participant in participants) participant.End();
            await RestAsync(frozen: false).ConfigureAwait(false);
        }
    }

    private async Task CaptureAsync(long version)
    {
        try
        {
            foreach (ICommitParticipant participant in participants) participant.EndVersion(version);
            ICommitParticipant[] folding = [.. participants.Where(static participant => participant.Folds)];
            ICommitParticipant[] written = [.. participants.Where(static participant => !participant.Folds)];
            foreach (ICommitParticipant participant in folding)
                await waits.UntilAsync(participant.Gate, () => participant.IsFrozen).ConfigureAwait(false);
            if (written.Length != 0) await waits.SafeAsync().ConfigureAwait(false);
            if (TProbe.Has(SeededBug.BeginAfterShift)) NoteBegins();
            foreach (ICommitParticipant participant in written)
                await participant.WriteAsync().ConfigureAwait(false);

            // Frozen records are not updated in place any more, so they can be flushed while the store is at rest.
            await RestAsync(frozen: written.Length == 0).ConfigureAwait(false);
            foreach (ICommitParticipant participant in folding)
                await participant.FlushAsync().ConfigureAwait(false);
            await steps.PublishAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            steps.OnFailed(e);
            throw;
        }
    }

    // Takes the store to rest once the version is captured, which may be before it is durable. Operations that copy
    // records of the version are waited for, unless the records are frozen. After a failure before InProgress, version
    // v goes on; after a later one, all sessions work at v + 1, and the next commit covers v as well. Idempotent.
    private async Task RestAsync(bool frozen)
    {
        SystemState now = state.Current;
        if (now.Phase == CommitPhase.Rest) return;
        if (!frozen && now.Phase >= CommitPhase.InProgress && !TProbe.Has(SeededBug.RestWithoutResume))
            await PassAsync(CommitPhase.Resume, now.Version).ConfigureAwait(false);
        Publish(CommitPhase.Rest, now.OperationVersion);
        waits.Bump(); // a session at rest looks at the state in a new epoch only
    }

    private async Task PassAsync(CommitPhase phase, long version)
    {
        Publish(phase, version);
        if (!TProbe.Has(SeededBug.PhaseWithoutEpoch)) await waits.SafeAsync().ConfigureAwait(false);
    }

    private void Publish(CommitPhase phase, long version)
    {
        state.Publish(new SystemState(phase, version));
        steps.OnPhase(phase);
    }

    private void NoteBegins()
    {
        foreach (ICommitParticipant participant in participants) participant.NoteBegin();
    }

    private void LetBeginsRise()
    {
        for (; _beginsHeld > 0; _beginsHeld--) participants[_beginsHeld - 1].BeginRising.Release();
    }
}
