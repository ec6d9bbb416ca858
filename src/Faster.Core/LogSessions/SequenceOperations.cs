using System.Buffers;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Operations;
using Faster.Operations.Large;
using Faster.Sessions;

namespace Faster.LogSessions;

/// <summary>
/// Operations whose value is a sequence provided by the caller, which may be larger than the log's memory: it is
/// written piece by piece, and copied only into the log (docs/internals/large-values.md).
/// </summary>
internal static class SequenceOperations
{
    /// <summary>Sets a key's value blindly, as a whole: until it is complete, readers find the old value.</summary>
    /// <param name="session">The session.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; it must not change until the task completes.</param>
    /// <param name="cancellationToken">
    /// Cancels the operation while the value is being written; a canceled operation has changed nothing.
    /// </param>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The value is too large for a store in memory.</exception>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    /// <exception cref="OperationCanceledException">The operation was canceled.</exception>
    public static ValueTask<Status> UpsertAsync<TKey>(
        HashSession session, scoped TKey key, ReadOnlySequence<byte> value,
        CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(session);
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<Status>(cancellationToken);
        bool isLarge = LargeValues.IsOversized(session.Attempt.Tier.Log, key.SlotSize, value.Length);
        var operation = new SequenceUpsert(value, stays: isLarge);
        Status status = isLarge
            ? WriteLarge(session, key, ref operation, value, cancellationToken)
            : session.Upsert(key, ref operation);
        if (status != Status.Pending) return new ValueTask<Status>(status);

        // The caller's memory is read until the last fragment is written: so the write ends first, and then the wait.
        return operation.Pending!.WaitAsync(isLarge ? CancellationToken.None : cancellationToken);
    }

    private static Status WriteLarge<TKey>(
        HashSession session, scoped TKey key, ref SequenceUpsert operation, ReadOnlySequence<byte> value,
        CancellationToken ct)
        where TKey : struct, IKey, allows ref struct
    {
        using SessionGate.Call call = session.BeginCall(); // of this session, also if it has ended
        return session.Runner.RetryUntilDone<UpsertAlgorithm<HashEntries, SequenceUpsert>, TKey, SequenceUpsert>(
            key, key.Hash(session.Attempt.Tier.Seed), ref operation, Outcome.Oversized, new LargeWrite(value, ct));
    }
}
