using Faster.Sessions;
using Faster.Tiers;

namespace Faster.LogSessions.Pending;

/// <summary>
/// Takes ready operations from idle sessions, for the I/O thread, while a commit waits for them. Called on that thread.
/// </summary>
internal static class PendingCollector
{
    /// <summary>A ready operation; null when there is none, or no commit waits.</summary>
    public static PendingOperation? Take(Tier tier)
    {
        LogStoreCore core = LogStoreCore.Of(tier);
        if (!core.Commits.CollectsPending) return null;
        core.PendingMemory.ClaimAll(core.Sessions.Open);
        bool areReading = false;
        foreach (SessionCore open in core.Sessions.Open)
        {
            if (open is not LogSession session) continue;
            session.Pending.HelpReads();
            if (session.Pending.TryTakeReady(out PendingOperation? operation)) return operation;
            areReading |= session.Pending.HasReads;
        }

        if (areReading) IOThread.Of(tier).LookAgainSoon();
        return null;
    }
}
