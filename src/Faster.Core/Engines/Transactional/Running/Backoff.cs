using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Engines.Transactional.Capture;
using Faster.Epochs;
using Faster.Operations.Journaling;
using Faster.Operations.Waiting;
using Faster.Probes;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Engines.Transactional.Running;

/// <summary>
/// How an attempt that has failed gives way, outside every epoch and without a lock, before it is made again; and when
/// that ends: after the stall limit, with an error that names the cause.
/// </summary>
/// <remarks>
/// After a conflict for a random time that doubles, so that two attempts do not meet again and again. From the fourth
/// conflict on the processor is yielded: who holds the lock may have been preempted, and need it.
/// </remarks>
internal struct Backoff(Tier tier, SessionCaptures captures, SharedLogs? logs)
{
    private static readonly TimeSpan CaptureTick = TimeSpan.FromMilliseconds(10); // a commit may fail meanwhile

    private const int SpinsAtFirst = 16, Doublings = 3, ManyConflicts = 1_000;

    private WaitClock _clock = new(tier.Core.StallLimit);

    /// <summary>The number of conflicts.</summary>
    public int Conflicts { get; private set; }

    /// <summary>Waits as the outcome of the attempt demands.</summary>
    /// <exception cref="FasterException">There was no progress for the stall limit.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public unsafe void Wait(Outcome outcome, EpochSlot* slot)
    {
        switch (outcome)
        {
            case Outcome.IndexResizing:
                _ = tier.Index.HelpResize(slot, out _);
                break;
            case Outcome.AllocationFailed:
                tier.Log.WaitForSpace();
                break;
            case Outcome.CprShift:
                break;
            case Outcome.LogsFull:
                logs!.WaitForSpace();
                break;
            case Outcome.LogsBusy:
                if (!(Probe.On && Probe.Wait(null))) Thread.Yield();
                break;
            case Outcome.CapturesFull:
                long wanted = captures.Wanted;
                Captures all = captures.All;
                bool mayGoOn = Probe.On && Probe.Wait(() => all.MayGoOn(wanted));
                if (!mayGoOn) all.Gate.Wait(() => all.MayGoOn(wanted), CaptureTick);
                break;
            default:
                AfterConflict();
                break;
        }

        if (_clock.IsOver) throw NoProgress(outcome);
    }

    private void AfterConflict()
    {
        int doublings = Conflicts++;
        if (Probe.On && Probe.Wait(null)) return;
        if (doublings < Doublings) Thread.SpinWait(Random.Shared.Next(SpinsAtFirst << doublings) + 1);
        else Thread.Yield();
        if (doublings == ManyConflicts) tier.Core.Epochs.Bump(static () => { }); // shows who stays inside its epoch
    }

    private readonly FasterException NoProgress(Outcome outcome)
    {
        string what = $"An operation has made no progress for {tier.Core.StallLimit.TotalSeconds:0.#} s";
        if (outcome == Outcome.LogsFull) return LogFull(what);
        return StallTimeout.HeldBySession(tier.Core.Epochs, what, tier.Core.Faults.Last) ?? new FasterException(
            ErrorReason.Stalled,
            outcome == Outcome.Retry
                ? $"{what}: after {Conflicts:N0} attempts others still hold the lock of a record. A user function on "
                + "the same key may be blocking; user functions must not wait. Nothing is changed."
                : $"{what}: it waits for memory, or for a part of the index that is being resized. Nothing is "
                + "changed; issue it again.",
            tier.Core.Faults.Last);
    }

    private readonly LimitExceededException LogFull(string what) => new(
        $"{what}: the operation log is full, and no commit frees it. Nothing is changed. Open the store with a larger "
        + $"{nameof(TransactionalOptions)}.{nameof(TransactionalOptions.OperationLogSize)} if units or values are "
        + "large; otherwise the store's last fault says why no commit is made.",
        tier.Core.Faults.Last);
}
