using Faster.Contracts;

namespace Faster.Sessions;

/// <summary>
/// What a method that is not inlined returns of an operation that it got by value. A type parameter, so that no more is
/// passed than the caller looks at.
/// </summary>
/// <typeparam name="TSelf">What is returned.</typeparam>
/// <typeparam name="TOperation">The operation.</typeparam>
internal interface IReturned<TSelf, TOperation>
    where TSelf : struct, IReturned<TSelf, TOperation>
    where TOperation : struct, IOperation
{
    /// <summary>Makes it.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="status">Its status.</param>
    static abstract TSelf Of(TOperation operation, Status status);
}
