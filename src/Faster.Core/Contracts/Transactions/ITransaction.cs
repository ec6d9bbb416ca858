using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A transaction as the engine runs it: a mutable struct with the inputs and the output.</summary>
/// <remarks>
/// The engine calls <see cref="ITransactionForm.Capture"/> only if the caller awaits, and then keeps a copy of the
/// struct on the heap, and of the keys' slots if it is yet to run.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ITransaction : ITransactionForm
{
    /// <summary>The size of every value in bytes; 0 if values vary in length.</summary>
    static abstract int ValueSize { get; }

    /// <summary>
    /// Runs the user's method on copies. May be called again, on fresh copies; an exception of the user's passes
    /// through it.
    /// </summary>
    /// <param name="records">The records of the key set's keys.</param>
    /// <returns>Whether the engine installs the changes; if not, the transaction has aborted.</returns>
    bool Run(scoped TransactionRecords records);
}
