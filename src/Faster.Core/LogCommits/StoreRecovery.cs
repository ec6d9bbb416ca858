using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Opening;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>Restores a store to a commit before anything runs: its parts, its sessions, its catalog.</summary>
/// <remarks>Not thread-safe; runs once.</remarks>
/// <param name="folder">The store's folder.</param>
/// <param name="core">What the store's tiers share.</param>
/// <param name="storePlan">The plan, with the commit.</param>
internal sealed class StoreRecovery(CommitFolder folder, StoreCore core, StorePlan storePlan)
{
    /// <summary>Recovers the parts and the sessions, and continues the catalog from the commit.</summary>
    /// <param name="points">Where the sessions go on: the commit's points, or later ones.</param>
    /// <param name="parts">Recover one part each, in turn, and return the bytes of log that they replayed.</param>
    /// <exception cref="DamagedDataException">A file that the commit names can't be trusted.</exception>
    /// <exception cref="StorageException">The disk can't be read or written.</exception>
    public RecoveryReport Run(IReadOnlyList<CommitPoint> points, params ReadOnlySpan<Func<long>> parts)
    {
        long began = Stopwatch.GetTimestamp(), replayed = 0;
        CommitRecord commit = storePlan.Commit!;
        foreach (Func<long> part in parts) replayed += part();
        core.Sessions.Recover(commit.Version, points, isNewest: storePlan.Skipped.Count == 0);
        folder.Catalog.Adopt(commit);
        return new RecoveryReport
        {
            Version = commit.Version,
            Sessions = points,
            Skipped = [.. storePlan.Skipped],
            BytesReplayed = replayed,
            ClockBehind = core.Clock.Behind,
            Elapsed = Stopwatch.GetElapsedTime(began),
        };
    }
}
