namespace Faster.Contracts;

/// <summary>
/// Operations that refer to spans of their caller. The spans are pinned for the time of the call here, so that emitted
/// code needs no unsafe block and the user's project no such option.
/// </summary>
public static unsafe class SpanOperations
{
    /// <summary>Reads a key (see <see cref="FasterSession{TProbe}.Read"/>).</summary>
    /// <param name="session">The session.</param>
    /// <param name="key">The key.</param>
    /// <param name="keyBytes">The key's bytes when a user function takes them, or nothing.</param>
    /// <param name="operand">The input's bytes, or nothing.</param>
    /// <param name="operation">The operation.</param>
    public static Status Read<TProbe, TKey, TOperation>(
        FasterSession<TProbe> session, scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand,
        ref TOperation operation)
        where TProbe : struct, IProbe
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return session.Read(key, ref operation);
        }
    }

    /// <summary>Sets a key's value (see <see cref="FasterSession{TProbe}.Upsert"/>).</summary>
    /// <param name="session">The session.</param>
    /// <param name="key">The key.</param>
    /// <param name="keyBytes">The key's bytes when a user function takes them, or nothing.</param>
    /// <param name="operand">The new value's bytes, or nothing.</param>
    /// <param name="operation">The operation.</param>
    public static Status Upsert<TProbe, TKey, TOperation>(
        FasterSession<TProbe> session, scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand,
        ref TOperation operation)
        where TProbe : struct, IProbe
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return session.Upsert(key, ref operation);
        }
    }

    /// <summary>Updates a key's value (see <see cref="FasterSession{TProbe}.Rmw"/>).</summary>
    /// <param name="session">The session.</param>
    /// <param name="key">The key.</param>
    /// <param name="keyBytes">The key's bytes when a user function takes them, or nothing.</param>
    /// <param name="operand">The input's bytes, or nothing.</param>
    /// <param name="operation">The operation.</param>
    public static Status Rmw<TProbe, TKey, TOperation>(
        FasterSession<TProbe> session, scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand,
        ref TOperation operation)
        where TProbe : struct, IProbe
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return session.Rmw(key, ref operation);
        }
    }
}
