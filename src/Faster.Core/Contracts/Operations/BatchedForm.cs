using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>The batched form: the batch receives the result before it returns.</summary>
/// <typeparam name="TResult">The type of the operation's result.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct BatchedForm<TResult> : IOperationForm<BatchedForm<TResult>, TResult>
{
    /// <inheritdoc/>
    public static bool IsAwaited => false;

    /// <inheritdoc/>
    public AwaitableResult<TResult>? Pending { get; private init; }

    /// <inheritdoc/>
    public static BatchedForm<TResult> Capture() => new() { Pending = AwaitableResult<TResult>.Rent() };
}
