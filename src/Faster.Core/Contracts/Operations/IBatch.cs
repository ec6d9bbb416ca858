using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A batch of operations of one kind over the caller's spans. Implementations are structs or ref structs.
/// </summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TOperation">The type of the operations.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IBatch<TKey, TOperation>
    where TKey : struct, IKey, allows ref struct
    where TOperation : struct
{
    /// <summary>The number of operations in the batch.</summary>
    int Count { get; }

    /// <summary>Returns the key of one operation.</summary>
    TKey GetKey(int index);

    /// <summary>Returns one operation, newly made.</summary>
    TOperation GetOperation(int index);

    /// <summary>Receives the outcome of one operation.</summary>
    /// <param name="index">The operation's index in the batch.</param>
    /// <param name="status">
    /// The outcome. <see cref="Status.Pending"/> means that the operation was captured, and its <c>Complete</c> is
    /// called before the batch call returns.
    /// </param>
    /// <param name="operation">The operation, with its output if it has one.</param>
    void SetResult(int index, Status status, ref TOperation operation);
}
