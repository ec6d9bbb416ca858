using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// An operation that refers to the caller's spans: a key that a user function takes, an input, or a new value.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IBorrowingOperation : IOperation
{
    /// <summary>Receives the caller's spans, which are pinned for the duration of the call.</summary>
    /// <param name="key">The key's bytes; empty if no user function takes the key.</param>
    /// <param name="operand">The bytes of the input or of the new value; empty if there are none.</param>
    void Borrow(PinnedBytes key, PinnedBytes operand);
}
