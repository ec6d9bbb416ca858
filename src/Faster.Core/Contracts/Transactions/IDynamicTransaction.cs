using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A transaction that finds its records while it runs.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IDynamicTransaction : ITransactionForm
{
    /// <summary>
    /// Runs the user's method on records that are locked as it asks for them. Called again, without any record, after a
    /// conflict.
    /// </summary>
    /// <param name="records">The records; empty at the call, and of no use after it.</param>
    /// <returns>Whether the engine installs the changes; if not, the transaction has aborted.</returns>
    bool Run(DynamicRecords records);
}
