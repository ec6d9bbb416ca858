namespace Faster;

/// <summary>
/// A store's folder can't be opened: it is a file, not writable, holds foreign files, or another store has it open.
/// </summary>
public sealed class StoreOpenException : FasterException
{
    /// <inheritdoc/>
    public StoreOpenException() { }

    /// <inheritdoc/>
    public StoreOpenException(string message) : base(message) { }

    /// <inheritdoc/>
    public StoreOpenException(string message, Exception? innerException) : base(message, innerException) { }
}
