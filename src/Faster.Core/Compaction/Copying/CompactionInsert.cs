using System.Runtime.ExceptionServices;
using Faster.Compaction.Lookups;
using Faster.Contracts;
using Faster.LogSessions;
using Faster.Operations;

namespace Faster.Compaction.Copying;

/// <summary>Runs the conditional inserts of a compaction.</summary>
/// <remarks>No state; runs on the calling session's thread, outside every epoch.</remarks>
internal static class CompactionInsert
{
    /// <summary>Runs a conditional insert; one that becomes pending gets its outcome later.</summary>
    public static Status Run<TAlgorithm, TOperation>(
        OperationRunner runner, in RecordKey key, ulong hash, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IConditionalInsert
    {
        Outcome outcome = runner.TryOnce<TAlgorithm, RecordKey, TOperation>(key, hash, ref operation, null);
        return runner.RetryUntilDone<TAlgorithm, RecordKey, TOperation>(key, hash, ref operation, outcome);
    }

    /// <summary>
    /// As <see cref="Run"/>, unless the operation would wait for the disk, and its look-up is put off.
    /// </summary>
    /// <param name="runner">Runs the operation.</param>
    /// <param name="record">The record.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="lookups">Puts look-ups off; null: this one must not be.</param>
    /// <param name="status">As <see cref="Run"/> returns it.</param>
    /// <returns>False: the look-up is put off.</returns>
    public static bool TryRun<TAlgorithm, TOperation>(
        OperationRunner runner, in PageRecord record, ref TOperation operation, DeferredLookups? lookups,
        out Status status)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IConditionalInsert
    {
        RecordKey key = record.Key;
        Outcome outcome = runner.TryOnce<TAlgorithm, RecordKey, TOperation>(key, record.Hash, ref operation, null);
        status = default;
        if (outcome == Outcome.OnDisk && lookups?.TryDefer(record, runner.Attempt.Wanted) == true) return false;
        status = runner.RetryUntilDone<TAlgorithm, RecordKey, TOperation>(key, record.Hash, ref operation, outcome);
        return true;
    }

    /// <summary>Completes the pending inserts of a session.</summary>
    /// <exception cref="FasterException">
    /// The first error: if several reads have failed, the cause is usually the same.
    /// </exception>
    public static void CompletePending(LogSession session)
    {
        try
        {
            _ = session.CompletePending(wait: true);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.InnerExceptions[0]);
        }
    }
}
