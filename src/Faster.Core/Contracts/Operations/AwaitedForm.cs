using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>The <c>ValueTask</c> form: the thread that completes the I/O signals the awaiting caller.</summary>
/// <typeparam name="TResult">The type of the operation's result.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct AwaitedForm<TResult> : IOperationForm<AwaitedForm<TResult>, TResult>
{
    /// <inheritdoc/>
    public static bool IsAwaited => true;

    /// <inheritdoc/>
    public AwaitableResult<TResult>? Pending { get; private init; }

    /// <inheritdoc/>
    public static AwaitedForm<TResult> Capture() => new() { Pending = AwaitableResult<TResult>.Rent() };
}
