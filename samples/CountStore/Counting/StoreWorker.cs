using System.Runtime.ExceptionServices;
using CountStore.Counting.Stores;
using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>One thread's part in a counter over a store: a session, and what is known of its updates.</summary>
/// <remarks>Used by one thread at a time.</remarks>
internal sealed class StoreWorker<TSession>(StoreCounter counter, TSession session) : ICountWorker
    where TSession : struct, ICountSession
{
    private bool _hasLost;

    /// <inheritdoc/>
    public long KeysCounted => session.RecoveredPoint.SerialNumber;

    /// <inheritdoc/>
    public void Count(KeyBatch batch, int first)
    {
        for (int at = first; at < batch.Count; at++)
        {
            // Pending updates go on while later ones are issued; the session limits how many there are at once.
            if (session.Count(batch[at]) == Status.Pending && session.PendingCount >= StoreLimits.Pending)
                Complete(wait: false);
        }

        Settle();
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
            if (!_hasLost) Settle();
        }
        finally
        {
            try
            {
                session.Dispose();
            }
            catch (Exception error) when (_hasLost && error is FasterException or AggregateException)
            {
                // The first error, of which these are the consequence, is on its way already.
            }
        }
    }

    // Continues pending updates. One that fails has its number all the same: a commit may cover it.
    private void Complete(bool wait)
    {
        try
        {
            session.CompletePending(wait);
        }
        catch (AggregateException errors)
        {
            _hasLost = true;
            ExceptionDispatchInfo.Throw(errors.InnerExceptions[0]); // as a rule all have one cause: the disk
        }
        catch
        {
            _hasLost = true;
            throw;
        }
    }

    private void Settle()
    {
        if (session.Name is not { } name) return;
        Complete(wait: true);
        counter.Settle(name, session.SerialNumber);
    }
}
