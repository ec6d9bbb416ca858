using Faster.Engines;
using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Engines;

/// <summary>The seam to the store's commits.</summary>
internal static class StoreCommits
{
    /// <summary>Commits.</summary>
    public static Task CommitAsync(Numbers.Store store, CommitForm form, bool withIndex) =>
        throw new UsageException($"{store}: this build has no commits yet ({form}, {withIndex}).");

    /// <summary>The number of the last accepted operation.</summary>
    public static long SerialNumber(Numbers.Session session) => session.PendingCount;

    /// <summary>Has a callback called after each commit.</summary>
    public static void Observe(Numbers.Session session, Action<long> onDurable) => onDurable(session.PendingCount);
}
