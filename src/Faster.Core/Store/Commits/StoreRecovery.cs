using System.Diagnostics;
using System.Security.Cryptography;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>Brings the parts of a store to a commit before anything runs (paper 004 §5.5).</summary>
/// <remarks>
/// Invariant: nothing on disk that a commit covers is changed; what the new incarnation writes lies above what the
/// commit has in the log, so that a crash at any time leads to the same commit again.
/// </remarks>
internal sealed class StoreRecovery<TProbe>(
    FasterStore<TProbe> store, DurableParts<TProbe> parts, StoreBlueprint blueprint,
    IProgress<RecoveryProgress>? progress)
    where TProbe : struct, IProbe
{
    private const int LargestStep = 1 << 12;

    private readonly CommitRecord _commit = blueprint.Commit!;

    /// <summary>Recovers.</summary>
    /// <exception cref="DamagedDataException">What the commit names can't be trusted.</exception>
    /// <exception cref="StorageException">The disk can't be read, or not be written.</exception>
    public RecoveryReport Run(CancellationToken ct)
    {
        long began = Stopwatch.GetTimestamp();
        parts.Storage.Restore(NextIncarnations(), _commit.Log.Abandoned);
        IndexReference? index = _commit.Index.Checkpoint;
        long indexBytes = index?.Bytes ?? 0;
        if (index is not null)
        {
            void OnRead(long bytes)
            {
                ct.ThrowIfCancellationRequested();
                progress?.Report(new RecoveryProgress(RecoveryStep.ReadingIndex, bytes, indexBytes));
            }

            OnRead(0);
            IndexCheckpointReader.Load(
                parts.Files, index, parts.Identity, store.Index.State.Table, index.EndAddress, OnRead);
        }

        var log = new LogRecovery<TProbe>(
            store.Epochs, store.Index, parts.Log, parts.Storage, store.Seed, _commit.Version, _commit.Log, index);
        long total = indexBytes + log.BytesToRead;
        LogRecoveryResult result = log.Run(
            parts.Files, parts.Identity, store.Plan.ReadBuffers,
            (step, bytes) => progress?.Report(new RecoveryProgress(step, indexBytes + bytes, total)), ct);
        store.Sessions.Recover(_commit.Version, _commit.Sessions, isNewest: blueprint.Skipped.Count == 0);
        parts.Catalog.Adopt(_commit);
        parts.Garbage.Ages.Restore(_commit.Log.Ages);
        return new RecoveryReport
        {
            Version = _commit.Version,
            Sessions = _commit.Sessions,
            Skipped = [.. blueprint.Skipped],
            BytesReplayed = result.BytesReplayed,
            ClockBehind = store.Clock.Behind,
            Elapsed = Stopwatch.GetElapsedTime(began),
        };
    }

    // What is written from now on differs from whatever an earlier process has written there, and no commit covers:
    // also from what came of an earlier recovery of the same commit, of which nothing is known. Hence a step by
    // chance.
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
