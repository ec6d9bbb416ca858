using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// The form in which an operation was called, which determines where its completion is delivered. A type parameter of
/// emitted operations, so that those of the status form hold no reference.
/// </summary>
/// <typeparam name="TSelf">The form.</typeparam>
/// <typeparam name="TResult">The type of the operation's result.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IOperationForm<TSelf, TResult>
    where TSelf : struct, IOperationForm<TSelf, TResult>
{
    /// <summary>As <see cref="IOperation.IsAwaited"/>.</summary>
    static abstract bool IsAwaited { get; }

    /// <summary>As <see cref="IOperation.IsReturned"/>, of an operation without output.</summary>
    static virtual bool IsReturned => true;

    /// <summary>
    /// The result that the caller awaits: null in the status form, and unless <see cref="Capture"/> made the form.
    /// </summary>
    AwaitableResult<TResult>? Pending { get; }

    /// <summary>Makes the form of an operation that goes pending; rents the result if the caller awaits one.</summary>
    static abstract TSelf Capture();
}
