using Faster.Contracts;

namespace Faster.Sessions;

/// <summary>
/// The status alone, in a register, of an operation that its caller does not look at again
/// (<see cref="IOperation.IsReturned"/>).
/// </summary>
internal readonly struct ReturnedStatus<TOperation>(Status status)
    : IReturned<ReturnedStatus<TOperation>, TOperation>
    where TOperation : struct, IOperation
{
    public readonly Status Status = status;

    /// <inheritdoc/>
    public static ReturnedStatus<TOperation> Of(TOperation operation, Status status) => new(status);
}
