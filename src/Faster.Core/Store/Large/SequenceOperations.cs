using System.Buffers;

namespace Faster.Contracts;

/// <summary>
/// Operations whose value is a sequence of its caller, which may be larger than the log's memory: it is written piece
/// by piece, and nothing of it is copied but into the log (docs/LARGEVALUES.md).
/// </summary>
public static class SequenceOperations
{
    /// <summary>Sets a key's value, blindly, as a whole: until then readers find what was there before.</summary>
    /// <param name="session">The session.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; it stays as it is until the task ends.</param>
    /// <param name="ct">
    /// Gives the operation up while the value is being written; if it was given up nothing has changed.
    /// </param>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">The value is too large for a store in memory.</exception>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    /// <exception cref="OperationCanceledException">The operation was given up.</exception>
    public static ValueTask<Status> UpsertAsync<TProbe, TKey>(
        FasterSession<TProbe> session, scoped TKey key, ReadOnlySequence<byte> value, CancellationToken ct)
        where TProbe : struct, IProbe
        where TKey : struct, IKey, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(session);
        if (ct.IsCancellationRequested) return ValueTask.FromCanceled<Status>(ct);
        bool isLarge = LargeValues.IsOversized(session.Store.Log, key.SlotSize, value.Length);
        var operation = new SequenceUpsert(value, stays: isLarge);
        Status status = isLarge
            ? session.Runner.Persist<UpsertProtocol<TProbe, SequenceUpsert>, TKey, SequenceUpsert>(
                key, key.Hash(session.Store.Seed), ref operation, Outcome.Oversized,
                new LargeWrite<TProbe>(value, ct))
            : session.Upsert(key, ref operation);
        if (status != Status.Pending) return new ValueTask<Status>(status);

        // The caller's memory is read until the last chunk is written: so the writing ends first, and then the waiting.
        return operation.Pending!.WaitAsync(isLarge ? CancellationToken.None : ct);
    }
}
