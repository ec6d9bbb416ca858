namespace Faster.Contracts;

/// <summary>In which of its three forms an operation was called, and so whom its completion tells.</summary>
public enum OperationForm : byte
{
    /// <summary>The status form: the completion callback is told, by the session's owner.</summary>
    Status = 0,

    /// <summary>
    /// The <c>ValueTask</c> form: the awaiting caller is told, by whichever thread completes the I/O.
    /// </summary>
    Awaited = 1,

    /// <summary>The batched form: the batch is told before it returns.</summary>
    Batched = 2,
}
