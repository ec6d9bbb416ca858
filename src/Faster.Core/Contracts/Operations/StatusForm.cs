using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>The status form: the session's owner calls the completion callback.</summary>
/// <typeparam name="TResult">The type of the operation's result.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StatusForm<TResult> : IOperationForm<StatusForm<TResult>, TResult>
{
#pragma warning disable CS0169, IDE0051 // A word: the JIT keeps only structs without gaps in registers.
    private readonly long _word;
#pragma warning restore CS0169, IDE0051

    /// <inheritdoc/>
    public static bool IsAwaited => false;

    /// <inheritdoc/>
    public static bool IsReturned => false;

    /// <inheritdoc/>
    public AwaitableResult<TResult>? Pending => null;

    /// <inheritdoc/>
    public static StatusForm<TResult> Capture() => default;
}
