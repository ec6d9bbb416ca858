using System.Runtime.ExceptionServices;
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
        Outcome outcome = Try<TAlgorithm, TOperation>(runner, key, hash, ref operation);
        return Finish<TAlgorithm, TOperation>(runner, key, hash, ref operation, outcome);
    }

    /// <summary>Makes the first attempt at a conditional insert.</summary>
    public static Outcome Try<TAlgorithm, TOperation>(
        OperationRunner runner, in RecordKey key, ulong hash, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IConditionalInsert =>
        runner.TryOnce<TAlgorithm, RecordKey, TOperation>(key, hash, ref operation, null);

    /// <summary>Goes on after the first attempt; an insert that becomes pending gets its outcome later.</summary>
    public static Status Finish<TAlgorithm, TOperation>(
        OperationRunner runner, in RecordKey key, ulong hash, ref TOperation operation, Outcome outcome)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IConditionalInsert
    {
        return runner.RetryUntilDone<TAlgorithm, RecordKey, TOperation>(key, hash, ref operation, outcome);
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
