using Faster.Contracts;
using Faster.Epochs;
using Faster.Probes;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Operations.Waiting;

/// <summary>
/// How a thread gives way, outside every epoch, to others that hold what its operation needs; and when the operation
/// fails: after <see cref="WaitClock.StallLimit"/> without progress, with an error that names the cause.
/// </summary>
/// <remarks>
/// Waiting for a disk read does not count: the device ends it. Nor does a parked operation: its caller's token ends it.
/// One that a worker has put off does count, although it takes no thread: nothing else would end it.
/// </remarks>
internal struct StallTimeout(Tier tier)
{
    // What holds an operation up usually ends within this many attempts. A longer hold may last as long as a user
    // function: immediate retries would take a processor from it.
    private const int MaxAtOnce = 32;

    private SpinWait _spin;
    private int _inVain;
    private WaitClock _clock = new(tier.Core.StallLimit);

    /// <summary>Spins or yields once, and drains the epochs' actions. For a thread that runs one operation.</summary>
    /// <param name="outcome">How the last attempt ended.</param>
    /// <exception cref="FasterException">There was no progress for <see cref="WaitClock.StallLimit"/>.</exception>
    public void Yield(Outcome outcome)
    {
        bool isScheduled = Probe.On && Probe.Wait(null);
        tier.Core.Epochs.Drain();
        if (isScheduled) return;
        _spin.SpinOnce();
        if (_spin.NextSpinWillYield) Check(outcome);
    }

    /// <summary>Yields once, and drains the epochs' actions. For a thread that continues operations in turn.</summary>
    /// <param name="mayBlock">Whether the thread may sleep when the operation has been held up for long.</param>
    /// <returns>False when it has, and the thread may not: put the operation off.</returns>
    public bool TryYield(bool mayBlock)
    {
        bool isScheduled = Probe.On && Probe.Wait(null);
        tier.Core.Epochs.Drain();
        bool isLong = ++_inVain >= MaxAtOnce;
        if (isLong && !mayBlock) return false;
        if (isLong && !isScheduled) Thread.Sleep(1);
        else if (!isScheduled) Thread.Yield();
        return true;
    }

    /// <summary>Throws when there was no progress for too long.</summary>
    /// <inheritdoc cref="Yield"/>
    public void Check(Outcome outcome)
    {
        if (_clock.IsOver) throw NoProgress(outcome);
    }

    /// <summary>The error of an operation that a session holds up by staying inside its epoch, or null.</summary>
    /// <param name="epochs">The store's epochs.</param>
    /// <param name="what">What the operation has waited for.</param>
    /// <param name="fault">The store's last fault.</param>
    public static FasterException? HeldBySession(EpochTable epochs, string what, Exception? fault) =>
        epochs.LongestHolder(out TimeSpan held) is not { } holder ? null : new FasterException(
            ErrorReason.UserFunction,
            $"{what}: {holder} has been inside its epoch for {held.TotalSeconds:0.#} s. Its user function is "
            + "blocking; user functions must not wait.", fault);

    private readonly FasterException NoProgress(Outcome outcome)
    {
        string what = $"An operation has made no progress for {tier.Core.StallLimit.TotalSeconds:0.#} s";
        Exception? fault = tier.Core.Faults.Last;
        if (HeldBySession(tier.Core.Epochs, what, fault) is { } held) return held;
        return outcome switch
        {
            Outcome.AllocationFailed => new StorageException(
                $"{what}: the log's memory is full, and the storage does not finish its writes. Nothing is changed; "
                + $"issue the operation again when it does. The log: {tier.Log}.", fault)
            {
                MayRetry = true,
            },
            Outcome.LogsFull => new LimitExceededException(
                $"{what}: the operation logs are full, and no commit frees them. Nothing is changed. Open the store "
                + $"with a larger {nameof(LogStoreOptions)}.{nameof(LogStoreOptions.Expert)}.OperationLogSize if units "
                + "or values are large; otherwise the store's last fault says why no commit is made.", fault),
            Outcome.IndexResizing => new FasterException(
                ErrorReason.Stalled,
                $"{what}: it waits for a part of the index that is being resized. Nothing is changed; issue it again. "
                + $"The log: {tier.Log}.", fault),
            Outcome.Retry => new FasterException(
                ErrorReason.UserFunction,
                $"{what}: the latch of its record is held. A user function on the same key may be blocking; user "
                + "functions must not wait.", fault),
            _ => new FasterException(
                ErrorReason.Stalled,
                $"{what}: it waits for other sessions ({outcome}). Nothing is changed; issue it again. The log: "
                + $"{tier.Log}.", fault),
        };
    }
}
