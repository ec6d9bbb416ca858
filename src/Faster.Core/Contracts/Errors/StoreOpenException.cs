namespace Faster;

/// <summary>
/// Thrown when a store cannot be opened: its folder is a file, is not writable, holds foreign files, or is open in
/// another store; the options conflict; or the memory budget is above what the process may use.
/// </summary>
public sealed class StoreOpenException : FasterException
{
    /// <inheritdoc/>
    public StoreOpenException() { }

    /// <inheritdoc/>
    public StoreOpenException(string message) : base(message) { }

    /// <inheritdoc/>
    public StoreOpenException(string message, Exception? innerException) : base(message, innerException) { }

    /// <summary>
    /// Whether the folder is open in another store or process: the same call may succeed when that has closed it.
    /// </summary>
    public bool MayRetry { get; init; }
}
