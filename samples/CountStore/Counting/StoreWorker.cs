using System.Runtime.ExceptionServices;
using CountStore.Counting.Stores;
using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>One thread's part in a counter over a store: a session, and which of its updates have failed.</summary>
/// <remarks>Used by one thread at a time.</remarks>
internal sealed class StoreWorker(StoreCounter counter, ICountSession session) : ICountWorker
{
    private readonly FailedUpdates _failed = counter.FailedUpdatesOf(session.Base.Name);
    private int _again; // of the lost updates, how many have been counted again
    private bool _hasFailed;

    /// <inheritdoc/>
    public long KeysCounted => session.Base.RecoveredPoint.SerialNumber;

    /// <inheritdoc/>
    public void Pass(KeyBatch batch, int count, long before)
    {
        IReadOnlyList<long> lost = session.Base.RecoveredPoint.Excluded;
        for (; _again < lost.Count && lost[_again] <= before + count; _again++)
        {
            session.Base.SetNextSerialNumber(lost[_again]);
            int at = (int)(lost[_again] - before - 1);
            Count(batch, at, at + 1, lost[_again]);
        }
    }

    /// <inheritdoc/>
    public void Count(KeyBatch batch, int first) => Count(batch, first, batch.Count, session.Base.SerialNumber + 1);

    // The first key's update has a number, and the others the next ones.
    private void Count(KeyBatch batch, int first, int end, long number)
    {
        if (counter.Awaited != 0)
        {
            for (int at = first, some; at < end; at += some)
            {
                some = Math.Min(counter.Awaited, end - at);
                CountDurably(batch, at, at + some, number + at - first);
            }

            return;
        }

        long serial = number - 1;
        for (int at = first; at < end; at++)
        {
            // Pending updates go on while later ones are issued; the session limits how many there are at once.
            if (session.Count(batch[at], new UpdateContext(_failed, ++serial)) == Status.Pending
                && session.Base.PendingCount >= StoreLimits.Pending) Complete(wait: false);
        }
    }

    /// <inheritdoc/>
    public void Finish() => Complete(wait: true);

    /// <inheritdoc/>
    public ValueTask ReadAsync(KeyBatch batch, long[] counts) =>
        ReadWindow.ReadAsync(counts, at => session.ReadAsync(batch[at]));

    /// <inheritdoc/>
    public void Dispose()
    {
        try
        {
            session.Base.Dispose();
        }
        catch (Exception error) when (error is FasterException or AggregateException)
        {
            // Where an update has failed before, its error, of which this is the consequence, is on its way already.
            if (!_hasFailed) ThrowFirst(error);
        }
    }

    // All of them are under way at once: one sync of the disk serves many.
    private void CountDurably(KeyBatch batch, int first, int end, long number)
    {
        List<Task<Status>> updates = [];
        Exception? failure = null;
        try
        {
            for (int at = first; at < end; at++) updates.Add(session.CountAsync(batch[at]).AsTask());
        }
        catch (FasterException refused)
        {
            failure = refused;
        }

        for (int i = 0; i < updates.Count; i++)
        {
            try
            {
                _ = updates[i].GetAwaiter().GetResult();
                _failed.AddDurable(number + i);
            }
            catch (FasterException error)
            {
                _failed.Add(number + i);
                failure ??= error;
            }
        }

        if (failure is null) return;
        _hasFailed = true;
        ThrowFirst(failure);
    }

    private void Complete(bool wait)
    {
        try
        {
            session.Base.CompletePending(wait);
        }
        catch (Exception error)
        {
            _hasFailed = true;
            ThrowFirst(error);
        }
    }

    // As a rule all errors of pending updates have one cause: the disk.
    private static void ThrowFirst(Exception error) =>
        ExceptionDispatchInfo.Throw((error as AggregateException)?.InnerExceptions[0] ?? error);
}
