namespace Faster.Contracts;

/// <summary>
/// A batch of operations of one kind over the caller's spans. Implementations are structs or ref structs.
/// </summary>
/// <typeparam name="TKey">The key's form.</typeparam>
/// <typeparam name="TOperation">The operation.</typeparam>
public interface IBatch<TKey, TOperation>
    where TKey : struct, IKey, allows ref struct
    where TOperation : struct
{
    /// <summary>How many operations the batch holds.</summary>
    int Count { get; }

    /// <summary>The key of one operation.</summary>
    TKey GetKey(int index);

    /// <summary>One operation, made anew.</summary>
    TOperation GetOperation(int index);

    /// <summary>Takes the outcome of one operation.</summary>
    /// <param name="index">Which.</param>
    /// <param name="status">
    /// The outcome. <see cref="Status.Pending"/>: the operation was captured, and its <c>Complete</c> is called
    /// before the batch call returns.
    /// </param>
    /// <param name="operation">The operation, with its output if it has one.</param>
    void SetResult(int index, Status status, ref TOperation operation);
}
