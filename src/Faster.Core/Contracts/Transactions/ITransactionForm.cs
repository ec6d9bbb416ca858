using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>What the forms of a transaction's calls differ in.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ITransactionForm
{
    /// <summary>
    /// Whether the caller awaits the result, so that the engine need not hold its thread until all is done, as it does
    /// for the other forms.
    /// </summary>
    static abstract bool IsAwaited { get; }

    /// <summary>
    /// Rents the result that the caller awaits. Called at most once, if <see cref="IsAwaited"/>, when the engine
    /// returns before all is done; what it returns is then of no account.
    /// </summary>
    void Capture();

    /// <summary>
    /// Completes a captured transaction, once: signals the awaiting caller. Called outside every epoch and lock.
    /// </summary>
    /// <param name="status">How the transaction ended.</param>
    /// <param name="error">Why it failed, or null.</param>
    void Complete(TransactionStatus status, Exception? error);
}
