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
    private bool _hasFailed;

    /// <inheritdoc/>
    public long KeysCounted => session.Base.RecoveredPoint.SerialNumber;

    /// <inheritdoc/>
    public void Count(KeyBatch batch, int first)
    {
        long serial = session.Base.SerialNumber;
        for (int at = first; at < batch.Count; at++)
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
