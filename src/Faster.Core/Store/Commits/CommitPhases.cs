using Faster.Commits;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// The order of a commit's steps (paper 004 §5.3, Fig. 6): takes the store from version v to v + 1 while operations go
/// on.
/// </summary>
/// <remarks>
/// <para>No session is needed for a phase to pass: a phase is published, then the epoch is bumped, and when that is
/// safe everyone inside has seen it. Idle sessions see it when they come; the point of those that did not come is
/// their last serial number.</para>
/// <para>The controlled scheduler runs these steps beside operations: so they wait only through
/// <see cref="IStepWaits"/>, and for what the commit itself does (<see cref="ICommitSteps"/>). Why the points are
/// exact: docs/COMMITS.md. One commit at a time.</para>
/// </remarks>
/// <param name="state">What sessions see of it.</param>
/// <param name="log">The log.</param>
/// <param name="waits">How a step waits.</param>
/// <param name="beginRising">Held while the log's begin rises.</param>
/// <param name="steps">The commit.</param>
internal sealed class CommitPhases<TProbe>(
    CommitState<TProbe> state, PagedLog<TProbe> log, IStepWaits waits, SemaphoreSlim beginRising, ICommitSteps steps)
    where TProbe : struct, IProbe
{
    /// <summary>Makes the store's version durable.</summary>
    public async Task RunAsync()
    {
        long version = state.Current.Version;
        bool holdsBegin = false;
        try
        {
            // The begin does not rise before all of the version is done: no operation sees one that the commit has not.
            await waits.EnterAsync(beginRising).ConfigureAwait(false);
            holdsBegin = true;
            if (TProbe.Has(SeededBug.BeginRisesBesideCommit)) LetBeginRise(ref holdsBegin);
            steps.NoteBegin();
            await PassAsync(CommitPhase.Prepare, version).ConfigureAwait(false);
            Task noUnits = waits.UntilAsync(
                state.Gate, () => !steps.IsAnyInUnit || TProbe.Has(SeededBug.UnitsNotAwaited));
            await steps.WatchAsync(CommitPhase.Prepare, noUnits).ConfigureAwait(false);
            state.Begin(log.TailAddress);
            await PassAsync(CommitPhase.InProgress, version).ConfigureAwait(false);
            steps.Collect();
            Publish(CommitPhase.WaitPending, version);
            if (state.Order == PendingOrder.Strict)
            {
                Task nonePending = waits.UntilAsync(state.Gate, () => state.PendingOf(version) == 0);
                await steps.WatchAsync(CommitPhase.WaitPending, nonePending).ConfigureAwait(false);
            }

            Publish(CommitPhase.WaitFlush, version);
            LetBeginRise(ref holdsBegin);
            await steps.CaptureAsync().ConfigureAwait(false);
        }
        finally
        {
            LetBeginRise(ref holdsBegin);
            steps.End();
            await RestAsync(frozen: false).ConfigureAwait(false);
        }
    }

    /// <summary>Ends the version in the log, when none of its operations is left.</summary>
    /// <param name="folds">Whether its records become immutable, and are flushed.</param>
    /// <returns>The version's end, on a boundary of sectors.</returns>
    public long EndVersion(bool folds) =>
        folds && !TProbe.Has(SeededBug.FoldOverNotFrozen) ? log.FreezeToTail() : log.PadTail();

    /// <summary>Waits until the records of a fold-over are immutable, and takes the store to rest.</summary>
    /// <param name="end">The version's end.</param>
    public async Task FoldAsync(long end)
    {
        if (!TProbe.Has(SeededBug.FoldOverNotFrozen))
            await waits.UntilAsync(log.Gate, () => log.SafeFrozenAddress >= end).ConfigureAwait(false);
        if (TProbe.Has(SeededBug.BeginAfterShift)) steps.NoteBegin();
        await RestAsync(frozen: true).ConfigureAwait(false); // no one updates what lies below the end in place any more
    }

    /// <summary>Waits until all records below the version's end are written.</summary>
    public async Task WrittenAsync()
    {
        await waits.SafeAsync().ConfigureAwait(false);
        if (TProbe.Has(SeededBug.BeginAfterShift)) steps.NoteBegin();
    }

    /// <summary>Takes the store to rest, when the version is captured.</summary>
    /// <param name="frozen">
    /// Whether nobody will update the version in place, so that those who copy it need not be waited for.
    /// </param>
    /// <remarks>
    /// Idempotent, for the version is captured before the commit is durable. If a commit fails before InProgress nobody
    /// has left version v, which goes on; after it everyone works at v + 1, and the next commit covers v too.
    /// </remarks>
    public async Task RestAsync(bool frozen)
    {
        SystemState now = state.Current;
        bool isResting = now.Phase == CommitPhase.Rest;
        if (isResting && now.IsPoisoned == steps.IsPoisoned) return;
        if (!frozen && now.Phase >= CommitPhase.InProgress && !TProbe.Has(SeededBug.RestWithoutResume))
            await PassAsync(CommitPhase.Resume, now.Version).ConfigureAwait(false);
        long current = isResting ? now.Version : now.OperationVersion;
        Publish(new SystemState(CommitPhase.Rest, current, steps.IsPoisoned));
        waits.Bump(); // a session at rest looks at the state in a new epoch only
    }

    private async Task PassAsync(CommitPhase phase, long version)
    {
        Publish(phase, version);
        if (!TProbe.Has(SeededBug.PhaseWithoutEpoch)) await waits.SafeAsync().ConfigureAwait(false);
    }

    private void Publish(CommitPhase phase, long version) => Publish(new SystemState(phase, version));

    private void Publish(SystemState next)
    {
        state.Publish(next);
        steps.OnPhase(next.Phase);
    }

    private void LetBeginRise(ref bool holdsBegin)
    {
        if (holdsBegin) beginRising.Release();
        holdsBegin = false;
    }
}
