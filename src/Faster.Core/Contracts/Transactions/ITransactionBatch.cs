using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A batch of transactions of one kind over the caller's spans. Implementations are structs or ref structs.
/// </summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TKeys">The type of the key sets.</typeparam>
/// <typeparam name="TTransaction">The type of the transactions.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ITransactionBatch<TKey, TKeys, TTransaction>
    where TKey : struct, IKey, allows ref struct
    where TKeys : struct, IKeySet<TKey>, allows ref struct
    where TTransaction : struct, ITransaction
{
    /// <summary>The number of transactions in the batch.</summary>
    int Count { get; }

    /// <summary>Returns the keys of one transaction.</summary>
    TKeys GetKeys(int index);

    /// <summary>Returns one transaction, newly made.</summary>
    TTransaction GetTransaction(int index);

    /// <summary>Receives how one transaction ended.</summary>
    /// <param name="index">The transaction's index in the batch.</param>
    /// <param name="status">How it ended.</param>
    /// <param name="transaction">The transaction, with its output if it has one.</param>
    void SetResult(int index, TransactionStatus status, ref TTransaction transaction);
}
