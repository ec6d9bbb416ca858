namespace Faster;

/// <summary>How an operation ended, or that it has not ended yet (paper 000 §2.2).</summary>
/// <remarks>An ignored status is an ignored <see cref="Pending"/>: the analyzer reports it (FAS101).</remarks>
public enum Status
{
    /// <summary>Done: the key was found, or the update was made.</summary>
    Ok = 0,

    /// <summary>Done: the key does not exist.</summary>
    NotFound = 1,

    /// <summary>
    /// Not done yet: the operation waits for the disk. <c>CompletePending</c> continues it and calls the completion
    /// callback; or use the <c>Async</c> form, which never returns this.
    /// </summary>
    Pending = 2,
}
