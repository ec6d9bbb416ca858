using Faster.Invariants;
using Faster.Log;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Commits;

/// <summary>
/// The order of a commit's steps (paper 004 §5.3, Fig. 6): takes the store from version v to v + 1 while operations go
/// on.
/// </summary>
/// <remarks>
/// <para>A phase passes without the help of any session: the phase is published, then the epoch is bumped, and when the
/// bump is safe, all sessions inside an epoch have seen the phase. Idle sessions see it when they next enter; the
/// commit point of a session that has not entered is its last serial number.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Phases are published in their order, and each before the epoch is bumped.</item>
/// <item>Whatever fails, the store returns to rest, and each participant is ended and may raise its begin again.</item>
/// <item>A record is published only after everything that it names was captured.</item>
/// </list>
/// <para>Tests run these steps beside operations under a controlled scheduler, so the steps wait only through
/// <see cref="IStepWaits"/>, and for the commit's own work (<see cref="ICommitSteps"/> and the participants).
/// docs/internals/commit-points.md shows why the points are exact. One commit at a time.</para>
/// </remarks>
/// <param name="state">The state that sessions see.</param>
/// <param name="participants">The parts of the store, in the order in which each step calls them.</param>
/// <param name="waits">How a step waits.</param>
/// <param name="steps">The commit's own work.</param>
internal sealed class CommitPhases(
    CommitState state, IReadOnlyList<ICommitParticipant> participants, IStepWaits waits, ICommitSteps steps)
{
    private readonly SemaphoreSlim[] _rising =
        [.. participants.SelectMany(static participant => participant.BeginsRising)];
    private int _held; // the number of these, from the first on, that are held

    /// <summary>Makes the store's current version durable.</summary>
    public async Task RunAsync()
    {
        long version = state.Current.Version;
        try
        {
            // Begin stays in place until the version is complete: no operation sees a higher Begin than the commit
            // records.
            foreach (SemaphoreSlim rising in _rising)
            {
                await waits.EnterAsync(rising).Here();
                _held++;
            }

            if (Probe.On && Probe.Has(SeededBug.BeginRisesBesideCommit)) LetBeginsRise();
            NoteBegins();
            foreach (ICommitParticipant participant in participants)
                await participant.CaptureFirstAsync().Here();
            // Sessions make no hits in Prepare: the next phase does not wait for a thread of the coordinator's.
            await PassAsync(CommitPhase.Prepare, version, atOnce: true).Here();
            Task noUnits = waits.UntilAsync(
                state.Gate, () => !steps.IsAnyInUnit || (Probe.On && Probe.Has(SeededBug.UnitsNotAwaited)));
            await steps.WatchAsync(CommitPhase.Prepare, noUnits).Here();
            foreach (ICommitParticipant participant in participants) participant.NoteStart();
            await PassAsync(CommitPhase.InProgress, version, atOnce: true).Here();
            Publish(CommitPhase.WaitPending, version);
            if (state.Order == PendingOrder.Strict)
            {
                Task nonePending = waits.UntilAsync(state.Gate, () => state.PendingOf(version) == 0);
                await steps.WatchAsync(CommitPhase.WaitPending, nonePending).Here();
            }

            Publish(CommitPhase.WaitFlush, version);
            LetBeginsRise();
            await CaptureAsync(version).Here();
        }
        finally
        {
            LetBeginsRise();
            foreach (ICommitParticipant participant in participants) participant.End();
            await RestAsync(isImmutable: false).Here();
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
                if (participant.Gate is { } gate) await waits.UntilAsync(gate, () => participant.IsImmutable).Here();
            if (written.Length != 0) await waits.SafeAsync().Here();
            steps.Collect(); // the points are final since InProgress was safe; there may be many
            if (Probe.On && Probe.Has(SeededBug.BeginAfterShift)) NoteBegins();
            foreach (ICommitParticipant participant in written)
                await participant.WriteAsync().Here();

            // Immutable records are not updated in place any more, so they can be flushed while the store is at rest.
            await RestAsync(isImmutable: written.Length == 0, atOnce: true).Here();
            foreach (ICommitParticipant participant in written)
                await participant.CompleteAsync().Here();
            foreach (ICommitParticipant participant in folding)
                await participant.FlushAsync().Here();
            await steps.PublishAsync().Here();
        }
        catch (Exception e)
        {
            steps.OnFailed(e);
            throw;
        }
    }

    // Returns the store to rest once the version is captured, which may be before it is durable. Unless the records are
    // immutable, this waits for operations that copy records of the version. After a failure before InProgress, version
    // v goes on; after a later failure, all sessions work at v + 1, and the next commit covers v as well. Idempotent.
    private async Task RestAsync(bool isImmutable, bool atOnce = false)
    {
        SystemState now = state.Current;
        if (now.Phase == CommitPhase.Rest) return;
        if (!isImmutable && now.Phase >= CommitPhase.InProgress
            && !(Probe.On && Probe.Has(SeededBug.RestWithoutResume)))
            await PassAsync(CommitPhase.Resume, now.Version, atOnce).Here();
        Publish(CommitPhase.Rest, now.OperationVersion);
        waits.Bump(); // a session at rest reads the state in a new epoch only
    }

    private async Task PassAsync(CommitPhase phase, long version, bool atOnce = false)
    {
        Publish(phase, version);
        if (Probe.On && Probe.Has(SeededBug.PhaseWithoutEpoch)) return;
        await (atOnce ? waits.SafeAtOnceAsync() : waits.SafeAsync()).Here();
    }

    private void Publish(CommitPhase phase, long version)
    {
        SystemState before = state.Current, next = new(phase, version);
        Invariant.Check(
            next.MayFollow(before),
            $"{phase} of version {version} may follow {before.Phase} of version {before.Version}");
        state.Publish(next);
        steps.OnPhase(phase);
    }

    private void NoteBegins()
    {
        foreach (ICommitParticipant participant in participants) participant.NoteBegin();
    }

    private void LetBeginsRise()
    {
        for (; _held > 0; _held--) _rising[_held - 1].Release();
    }
}
