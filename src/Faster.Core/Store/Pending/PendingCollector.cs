using Faster.Contracts;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// Takes operations from sessions that nobody continues, for the I/O thread, while a commit waits for them.
/// </summary>
internal static class PendingCollector<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>An operation that is ready; null when there is none, or no commit waits.</summary>
    public static PendingOperation<TProbe>? Take(FasterStore<TProbe> store)
    {
        if (!store.Commits.CollectsPending) return null;
        store.PendingMemory.ClaimAll(store.Sessions.Open);
        bool areReading = false;
        foreach (SessionCore<TProbe> session in store.Sessions.Open)
        {
            session.Pending.HelpReads();
            if (session.Pending.TryTakeReady(out PendingOperation<TProbe>? operation)) return operation;
            areReading |= session.Pending.HasReads;
        }

        if (areReading) store.Pump.LookAgainSoon();
        return null;
    }
}
