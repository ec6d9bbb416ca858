using System.Security.Cryptography;
using Faster.Checkpoints;
using Faster.Checkpoints.Index;
using Faster.Checkpoints.Recovery;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Tiers;

namespace Faster.LogCommits;

/// <summary>Restores one log, and the hash index over it, to a commit (paper 004 §5.5).</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Nothing on disk that a commit covers is changed.</item>
/// <item>The new incarnation writes above what the commit has in the log, so that a crash at any time leads to the
/// same commit again.</item>
/// </list>
/// <para>Runs before anything else uses the log. Not thread-safe; runs once.</para>
/// </remarks>
/// <param name="folder">The store's folder.</param>
/// <param name="tier">The tier whose index, buffers and epochs are used.</param>
/// <param name="log">The log.</param>
/// <param name="commit">The commit.</param>
/// <param name="replay">What the log's records mean to the tier's hash index.</param>
internal sealed class TierRecovery(
    CommitFolder folder, Tier tier, DurableLog log, CommitRecord commit, IndexReplay replay)
{
    private const int LargestStep = 1 << 12;

    private readonly CommittedLog _committed = commit.LogOf(log.Name);

    /// <summary>Recovers the index and the log.</summary>
    /// <param name="progress">Receives the step, and the bytes of this part; or null.</param>
    /// <param name="ct">Cancels the recovery, which changes nothing in the folder.</param>
    /// <returns>The bytes of log that were replayed.</returns>
    /// <exception cref="DamagedDataException">A file that the commit names can't be trusted.</exception>
    /// <exception cref="StorageException">The disk can't be read or written.</exception>
    public long Run(IProgress<RecoveryProgress>? progress, CancellationToken ct)
    {
        log.Storage.Restore(NextIncarnations(), _committed.Discarded);
        IndexReference? index = replay == IndexReplay.None ? null : commit.IndexOf(log.Name).Checkpoint;
        var recovery = new LogRecovery(
            tier.Core.Epochs, tier.Index, log.Pages, log.Storage, tier.Seed, commit.Version, _committed, index, replay);
        var meter = new RecoveryMeter(progress, index?.Bytes ?? 0, recovery.BytesToRead);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        Task loading = index is null ? Task.CompletedTask : Task.Factory.StartNew(
            () => LoadIndex(index, meter, stop.Token), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        LogRecoveryResult result;
        try
        {
            result = recovery.Run(
                folder.Files, folder.Identity, tier.Core.MemoryPlan.ReadBuffers, loading.GetAwaiter().GetResult,
                meter.ReadLog, ct);
        }
        catch
        {
            stop.Cancel();
            Task.WhenAny(loading).GetAwaiter().GetResult(); // it writes to the index, which is freed then
            throw;
        }

        log.Ages.Restore(_committed.Ages);
        log.Pages.NextVersionStart = _committed.EndAddress;
        return result.BytesReplayed;
    }

    // Beside the reading of the log, which takes as long.
    private void LoadIndex(IndexReference index, RecoveryMeter meter, CancellationToken ct)
    {
        void OnRead(long bytes)
        {
            ct.ThrowIfCancellationRequested();
            meter.ReadIndex(bytes);
        }

        OnRead(0);
        IndexCheckpointReader.Load(
            folder.Files, index, folder.Identity, tier.Index.State.Table, index.EndAddress, OnRead);
        OnRead(index.Bytes);
    }

    // Blocks written from now on must differ from those that an earlier process has written there and no commit covers,
    // including those of an earlier recovery of the same commit, of which nothing is known. Hence the random step.
    private List<Incarnation> NextIncarnations()
    {
        // The first block begins before the first address.
        long flushed = _committed.FlushedUntilAddress, from = flushed > PagedLog.FirstAddress ? flushed : 0;
        uint number = _committed.Incarnations.Max(static range => range.Number)
            + (uint)RandomNumberGenerator.GetInt32(1, LargestStep);
        List<Incarnation> ranges = [.. _committed.Incarnations.Where(range => range.FromAddress < from)];
        ranges.Add(new Incarnation(from, number));
        return ranges;
    }
}
