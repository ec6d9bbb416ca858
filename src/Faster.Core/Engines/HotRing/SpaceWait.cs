using Faster.Operations.Waiting;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Engines.HotRing;

/// <summary>
/// How an operation that lacks memory gives way, outside every epoch, to others that hold some; and when it fails:
/// after <see cref="WaitClock.StallLimit"/>, with an error that names the cause.
/// </summary>
internal struct SpaceWait(HotRingStore store)
{
    private SpinWait _spin;
    private WaitClock _clock = new(store.StallLimit);

    /// <summary>Waits a moment, and lets freed memory become reusable.</summary>
    /// <exception cref="FasterException">The operation has waited for too long.</exception>
    public void Once()
    {
        // A session that stays inside its epoch holds the first action up: others would only lengthen the list.
        if (store.Epochs.PendingActions == 0) store.Epochs.Bump(static () => { });
        else store.Epochs.Drain();
        if (!(Probe.On && Probe.Wait(null))) _spin.SpinOnce();
        if (_clock.IsOver) throw NoProgress();
    }

    private readonly FasterException NoProgress()
    {
        string what = $"An operation has waited {store.StallLimit.TotalSeconds:0.#} s for memory";
        return StallTimeout.HeldBySession(store.Epochs, what, null) ?? new FasterException(
            ErrorReason.Stalled,
            store.Index.IsRehashing
                ? $"{what} that the store needs while it doubles its index. Nothing is changed; issue it again."
                : $"{what} that others have freed. Nothing is changed; issue it again.");
    }
}
