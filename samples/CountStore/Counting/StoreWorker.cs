using System.Runtime.ExceptionServices;
using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>One thread's part in a counter over a store: a session, and what is known of its updates.</summary>
/// <remarks>Used by one thread at a time.</remarks>
internal abstract class StoreWorker(StoreCounter counter, string? share) : ICountWorker
{
    private bool _hasLost;

    /// <inheritdoc/>
    public abstract long KeysCounted { get; }

    /// <summary>The number of the session's last operation.</summary>
    protected abstract long SerialNumber { get; }

    /// <inheritdoc/>
    public void Count(KeyBatch batch, int first)
    {
        Update(batch, first);
        if (share is not null) Settle();
    }

    /// <inheritdoc/>
    public void Finish() => Complete(wait: true);

    /// <inheritdoc/>
    public abstract ValueTask ReadAsync(KeyBatch batch, long[] counts);

    /// <inheritdoc/>
    public void Dispose()
    {
        try
        {
            if (share is not null && !_hasLost) Settle();
        }
        finally
        {
            try
            {
                Close();
            }
            catch (Exception error) when (_hasLost && error is FasterException or AggregateException)
            {
                // The first error, of which these are the consequence, is on its way already.
            }
        }
    }

    /// <summary>Issues an update for each key of a batch from one on.</summary>
    protected abstract void Update(KeyBatch batch, int first);

    /// <summary>Continues the session's pending updates.</summary>
    protected abstract void CompletePending(bool wait);

    /// <summary>Closes the session.</summary>
    protected abstract void Close();

    /// <summary>Continues pending updates. One that fails has its number all the same: a commit may cover it.</summary>
    protected void Complete(bool wait)
    {
        try
        {
            CompletePending(wait);
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
        Complete(wait: true);
        counter.Settle(share!, SerialNumber);
    }
}
