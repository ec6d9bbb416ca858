using Faster.Contracts;

namespace Faster;

/// <summary>
/// How an operation waits, outside every epoch, for something that others hold; and when it gives up. The one rule for
/// waiting: an operation that has waited <see cref="Limit"/> in a row fails, and its error names the cause.
/// </summary>
/// <remarks>
/// What waits for a read of the disk does not count: the device ends that. Nor does what is parked without a thread:
/// its caller's token ends that.
/// </remarks>
internal struct Patience<TProbe>(FasterStore<TProbe> store)
    where TProbe : struct, IProbe
{
    /// <summary>After so long an operation that makes no progress fails rather than hang.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private SpinWait _spin;
    private WaitClock _clock = new(store.PatienceLimit);

    /// <summary>Waits a little.</summary>
    /// <param name="outcome">Why the last attempt was not the last.</param>
    /// <exception cref="FasterException">Nothing has moved for <see cref="Limit"/>.</exception>
    public void Wait(Outcome outcome = Outcome.Retry)
    {
        bool isScheduled = TProbe.Wait(null);
        store.Epochs.Drain();
        if (isScheduled) return;
        _spin.SpinOnce();
        if (_spin.NextSpinWillYield) Check(outcome);
    }

    /// <summary>Fails when nothing has moved for too long.</summary>
    /// <inheritdoc cref="Wait"/>
    public void Check(Outcome outcome)
    {
        if (_clock.IsOver) throw NoProgress(outcome);
    }

    private readonly FasterException NoProgress(Outcome outcome)
    {
        string what = $"An operation has made no progress for {store.PatienceLimit.TotalSeconds:0.#} s";
        Exception? fault = store.Statistics.LastFault;
        if (store.Epochs.LongestHolder(out TimeSpan held) is { } holder)
        {
            return new UserFunctionException(
                $"{what}: {holder} has been inside its epoch for {held.TotalSeconds:0.#} s. Its user function is "
                + "blocking; user functions must not wait.", fault);
        }

        return outcome switch
        {
            Outcome.NoRoom => new StorageException(
                $"{what}: the log's memory is full, and the storage does not finish its writes. Nothing is changed; "
                + $"issue the operation again when it does. The log: {store.Log}.", fault)
            {
                MayRetry = true,
            },
            Outcome.Growing => new StalledException(
                $"{what}: it waits for a part of the index that is being resized. Nothing is changed; issue it again. "
                + $"The log: {store.Log}.", fault),
            Outcome.Retry => new UserFunctionException(
                $"{what}: the latch of its record is held. A user function on the same key may be blocking; user "
                + "functions must not wait.", fault),
            _ => new StalledException(
                $"{what}: it waits for other sessions ({outcome}). Nothing is changed; issue it again. The log: "
                + $"{store.Log}.", fault),
        };
    }
}
