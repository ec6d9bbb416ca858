using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A session with transactions: several records read and written at once, as if no other operation ran meanwhile.
/// </summary>
/// <remarks>
/// A transaction runs again until it commits, aborts, throws, or its attempts are used up. Committed and aborted ones
/// take one serial number where the engine commits; the others take none and have changed nothing. The engine may
/// capture awaited transactions, and also awaited updates of one key, for which it returns <see cref="Status.Pending"/>
/// then.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ITransactionSession : IEngineSession
{
    /// <summary>Runs a transaction whose keys are known.</summary>
    /// <param name="keys">The keys of its records.</param>
    /// <param name="transaction">The transaction; after the call it has the output.</param>
    /// <returns>How it ended; of no account if the transaction was captured.</returns>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    /// <exception cref="LimitExceededException">A new value is too large, or memory is used up.</exception>
    TransactionStatus Run<TKey, TKeys, TTransaction>(scoped ref TKeys keys, ref TTransaction transaction)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction;

    /// <summary>Runs a transaction that finds its records while it runs.</summary>
    /// <inheritdoc cref="Run{TKey, TKeys, TTransaction}"/>
    TransactionStatus RunDynamic<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, IDynamicTransaction;

    /// <summary>
    /// Runs transactions one after another, in order, and returns when all are done. An exception ends the batch at its
    /// transaction; those before it have ended as their results say.
    /// </summary>
    /// <param name="batch">The transactions, which receive their results.</param>
    /// <param name="serialNumber">
    /// One serial number for the whole batch, so that a commit covers all of it or nothing. Null: each transaction gets
    /// a number of its own; always null if the session is no <see cref="ICommitSession"/>.
    /// </param>
    void RunBatch<TKey, TKeys, TTransaction, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
        where TBatch : struct, ITransactionBatch<TKey, TKeys, TTransaction>, allows ref struct;
}
