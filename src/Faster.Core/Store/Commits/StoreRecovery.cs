using System.Diagnostics;
using System.Security.Cryptography;
using Faster.Checkpoints;
using Faster.Checkpoints.Index;
using Faster.Checkpoints.Recovery;
using Faster.Contracts;
using Faster.Log;
using Faster.Store.Opening;
using Faster.Tiers;

namespace Faster.Store.Commits;

/// <summary>Restores the parts of a store to a commit before anything runs (paper 004 §5.5).</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Nothing on disk that a commit covers is changed.</item>
/// <item>The new incarnation writes above what the commit has in the log, so that a crash at any time leads to the
/// same commit again.</item>
/// </list>
/// </remarks>
internal sealed class StoreRecovery<TProbe>(
    DurabilityComponents<TProbe> parts, StorePlan storePlan, IProgress<RecoveryProgress>? progress)
    where TProbe : struct, IProbe
{
    private const int LargestStep = 1 << 12;

    private readonly Tier<TProbe> _tier = parts.Tier;
    private readonly CommitRecord _commit = storePlan.Commit!;

    /// <summary>Recovers index, log, and sessions, and continues the catalog from the commit.</summary>
    /// <exception cref="DamagedDataException">A file that the commit names can't be trusted.</exception>
    /// <exception cref="StorageException">The disk can't be read or written.</exception>
    public RecoveryReport Run(CancellationToken ct)
    {
        long began = Stopwatch.GetTimestamp();
        parts.Storage.Restore(NextIncarnations(), _commit.Log.Discarded);
        IndexReference? index = _commit.Index.Checkpoint;
        var log = new LogRecovery<TProbe>(
            _tier.Core.Epochs, _tier.Index, parts.Log, parts.Storage, _tier.Seed, _commit.Version, _commit.Log, index);
        var meter = new RecoveryMeter(progress, index?.Bytes ?? 0, log.BytesToRead);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        Task loading = index is null ? Task.CompletedTask : Task.Factory.StartNew(
            () => LoadIndex(index, meter, stop.Token), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        LogRecoveryResult result;
        try
        {
            result = log.Run(
                parts.Files, parts.Identity, _tier.Core.MemoryPlan.ReadBuffers, loading.GetAwaiter().GetResult,
                meter.ReadLog, ct);
        }
        catch
        {
            stop.Cancel();
            Task.WhenAny(loading).GetAwaiter().GetResult(); // it writes to the index, which is freed then
            throw;
        }

        _tier.Core.Sessions.Recover(_commit.Version, _commit.Sessions, isNewest: storePlan.Skipped.Count == 0);
        parts.Catalog.Adopt(_commit);
        parts.Reclamation.Ages.Restore(_commit.Log.Ages);
        return new RecoveryReport
        {
            Version = _commit.Version,
            Sessions = _commit.Sessions,
            Skipped = [.. storePlan.Skipped],
            BytesReplayed = result.BytesReplayed,
            ClockBehind = _tier.Core.Clock.Behind,
            Elapsed = Stopwatch.GetElapsedTime(began),
        };
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
            parts.Files, index, parts.Identity, _tier.Index.State.Table, index.EndAddress, OnRead);
        OnRead(index.Bytes);
    }

    // Blocks written from now on must differ from those that an earlier process has written there and no commit covers,
    // including those of an earlier recovery of the same commit, of which nothing is known. Hence the random step.
    private List<Incarnation> NextIncarnations()
    {
        // The first block begins before the first address.
        long flushed = _commit.Log.FlushedUntilAddress, from = flushed > PagedLog<TProbe>.FirstAddress ? flushed : 0;
        uint number = _commit.Log.Incarnations.Max(static range => range.Number)
            + (uint)RandomNumberGenerator.GetInt32(1, LargestStep);
        List<Incarnation> ranges = [.. _commit.Log.Incarnations.Where(range => range.FromAddress < from)];
        ranges.Add(new Incarnation(from, number));
        return ranges;
    }
}
