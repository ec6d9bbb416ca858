namespace Faster.Contracts;

/// <summary>
/// Many operations of one kind on their way into an engine, which asks for keys ahead of operations so that it can
/// prefetch. Implementations are structs (or ref structs) that the generator writes.
/// </summary>
/// <typeparam name="TKey">The keys' form.</typeparam>
/// <typeparam name="TOperation">The operations' type.</typeparam>
public interface IBatch<TKey, TOperation>
    where TKey : struct, IKey, allows ref struct
    where TOperation : struct
{
    /// <summary>The number of operations.</summary>
    int Count { get; }

    /// <summary>The key of one operation. May be asked for more than once.</summary>
    TKey GetKey(int index);

    /// <summary>One operation, ready to start. Asked for once.</summary>
    TOperation GetOperation(int index);

    /// <summary>Is told how an operation ended, or that it was captured because it waits for the disk.</summary>
    /// <param name="index">Which operation.</param>
    /// <param name="status">
    /// The outcome; <see cref="Status.Pending"/> when <see cref="IOperation.Complete"/> brings the outcome later, but
    /// before the batch returns.
    /// </param>
    /// <param name="operation">The operation, after the engine called it.</param>
    void SetResult(int index, Status status, ref TOperation operation);
}
