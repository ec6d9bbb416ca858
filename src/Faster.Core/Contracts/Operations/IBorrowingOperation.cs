namespace Faster.Contracts;

/// <summary>
/// An operation that refers to spans of its caller: a key that a user function wants to see, an input, a new value.
/// </summary>
public interface IBorrowingOperation : IOperation
{
    /// <summary>Is given the caller's spans, pinned for the time of the call.</summary>
    /// <param name="key">The key's bytes; empty when no user function takes the key.</param>
    /// <param name="operand">The bytes of the input or of the new value; empty when there are none.</param>
    void Borrow(PinnedBytes key, PinnedBytes operand);
}
