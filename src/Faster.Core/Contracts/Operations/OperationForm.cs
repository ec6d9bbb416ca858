using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// Specifies the form in which an operation was called, which determines where its completion is delivered.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum OperationForm : byte
{
    /// <summary>The status form: the session's owner calls the completion callback.</summary>
    Status = 0,

    /// <summary>The <c>ValueTask</c> form: the thread that completes the I/O signals the awaiting caller.</summary>
    Awaited = 1,

    /// <summary>The batched form: the batch receives the result before it returns.</summary>
    Batched = 2,
}
