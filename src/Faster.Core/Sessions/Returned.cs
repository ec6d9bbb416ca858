using Faster.Contracts;

namespace Faster.Sessions;

/// <summary>
/// What a method that is not inlined returns of an operation that it got by value: the operation, and its status. A
/// result of three words or more is passed by way of memory.
/// </summary>
internal readonly struct Returned<TOperation>(TOperation operation, Status status)
    : IReturned<Returned<TOperation>, TOperation>
    where TOperation : struct, IOperation
{
    public readonly TOperation Operation = operation;
    public readonly Status Status = status;

    /// <inheritdoc/>
    public static Returned<TOperation> Of(TOperation operation, Status status) => new(operation, status);
}
