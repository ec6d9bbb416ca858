using Faster.Compaction.Copying;

namespace Faster.Compaction.Lookups;

/// <summary>
/// Copies with memory for look-ups that the log lends: a run borrows it where records have left memory, and gives it
/// back however it ends.
/// </summary>
/// <param name="route">From where to where is copied.</param>
/// <param name="loan">The most that the log lends for all threads.</param>
/// <param name="copierWith">Makes a copier whose threads put look-ups off in so many bytes each.</param>
internal sealed class BorrowedLookups(CopyRoute route, long loan, Func<long, ILiveRecordCopier> copierWith)
    : ILiveRecordCopier
{
    /// <inheritdoc/>
    public (CopyCounters Counters, long Reached) Run(long begin, long until, long maxCopied)
    {
        // There are look-ups to put off only where records have left memory, and no more than these.
        long bytes = Math.Min(loan, route.Log.HeadAddress - begin);
        bool isLent = bytes >= route.Threads * LookupMemory.MinBytes
            && route.From.Memory.TryLend(bytes, route.MustStop);
        if (!isLent) return copierWith(0).Run(begin, until, maxCopied);
        try
        {
            return copierWith(bytes / route.Threads).Run(begin, until, maxCopied);
        }
        finally
        {
            route.From.Memory.TakeBack();
        }
    }
}
